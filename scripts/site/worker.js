/* SPDX-License-Identifier: Apache-2.0 */
/* Search without a server: browsers start no workers from files, so what the search would do in a worker it does in a
 * frame that nobody sees, by the same messages. */
(() => {
  if (location.protocol !== "file:") return;

  class FrameWorker extends EventTarget {
    constructor(url) {
      super();
      this.url = url;
      this.waiting = [];
      this.frame = document.createElement("iframe");
      this.frame.hidden = true;
      this.frame.srcdoc = `<html><body><script>
        importScripts = (...urls) => urls.reduce((done, url) => done.then(() => new Promise((good, bad) => {
          const script = document.createElement("script");
          script.src = url;
          script.onload = good;
          script.onerror = () => bad(new Error(url));
          document.body.append(script);
        })), Promise.resolve());
      <\/script><script>postMessage = (data) => parent.dispatchEvent(new MessageEvent("answer", { data }));<\/script>
      <script src="${url}"><\/script></body></html>`;
      this.answer = (event) => {
        const message = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(message);
        if (this.onmessage) this.onmessage(message);
      };
      addEventListener("answer", this.answer);
      this.frame.addEventListener("load", () => {
        for (const data of this.waiting) this.send(data);
        this.waiting = null;
      });
      document.body.append(this.frame);
    }

    send(data) {
      this.frame.contentWindow.dispatchEvent(new MessageEvent("message", { data }));
    }

    postMessage(data) {
      if (this.waiting) this.waiting.push(data);
      else this.send(data);
    }

    terminate() {
      removeEventListener("answer", this.answer);
      this.frame.remove();
    }
  }

  window.IFrameWorker = FrameWorker;
  window.Worker = FrameWorker;
})();
