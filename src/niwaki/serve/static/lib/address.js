// An address that opens a page with a text as it is shown. It stands behind `#`, which browsers keep
// to themselves: the text is not part of a request.
const LONGEST = 20000;

// The address, or null if it would be too long for most programs that one pastes it into.
export function addressOf(page, values) {
  const kept = Object.entries(values).filter(([, value]) => value !== undefined && value !== null && value !== "");
  const address = `${location.origin}/${page}#${new URLSearchParams(kept)}`;
  return address.length > LONGEST ? null : address;
}

// What the address of this page says, once: what is changed afterwards outlives a reload.
export function takeAddress() {
  const found = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
  if (location.hash) history.replaceState(null, "", location.pathname + location.search);
  // An address that is opened where the page is already is no new page to the browser.
  addEventListener("hashchange", () => location.hash.includes("=") && location.reload());
  return found;
}
