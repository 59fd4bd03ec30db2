// A job as it runs: how far it is, a way to stop it, and what went wrong if something did.
import { post } from "./api.js";
import { h, percent, replace } from "./dom.js";

export function jobView() {
  const bar = h("div", { class: "bar-inner" });
  const stage = h("span", { class: "soft num" });
  const cancel = h("button", { class: "button small danger", id: "cancel" }, "Cancel");
  const fault = h("p", { class: "note bad", id: "job-fault", role: "alert", hidden: true });
  const element = h("div", { hidden: true, vars: { margin: "14px 0" } }, h("div", { class: "row" }, h("div", { class: "bar-outer grow" }, bar), stage, cancel), fault);
  return {
    element,
    show(job) {
      element.hidden = job.state === "done";
      element.dataset.state = job.state;
      bar.style.width = job.total ? percent(job.done / job.total) : "8%";
      replace(stage, job.total ? `${job.stage}, ${job.done} of ${job.total}` : job.stage);
      cancel.hidden = job.state !== "running";
      cancel.onclick = () => post(`/api/jobs/${job.id}/cancel`, {});
      fault.hidden = job.state !== "failed" && job.state !== "cancelled";
      replace(fault, job.state === "cancelled" ? "Cancelled." : `It failed: ${job.error}`);
    },
    fail(error) {
      element.hidden = false;
      element.dataset.state = "failed";
      cancel.hidden = true;
      replace(stage);
      replace(fault, error.message).hidden = false;
    },
  };
}
