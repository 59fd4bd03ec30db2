// Files for the person: what the server or the page made, under a name.
export function save(blob, name) {
  const url = URL.createObjectURL(blob);
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // The browser has taken it by then.
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

export const saveText = (text, name) => save(new Blob([text], { type: "text/plain" }), name);
