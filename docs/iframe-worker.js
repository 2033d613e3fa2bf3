// A page that is opened from a disk may start no worker, so its search runs in a hidden frame.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.append(frame);
      addEventListener("message", event => {
        if (event.source !== frame.contentWindow) return;
        const told = new MessageEvent("message", { data: event.data });
        this.dispatchEvent(told);
        if (this.onmessage) this.onmessage(told);
      });
      // In the frame, postMessage becomes that of a worker, which sends to the page.
      this.send = frame.contentWindow.postMessage.bind(frame.contentWindow);
      const page = frame.contentDocument;
      page.open();
      this.ready = new Promise(done => frame.contentWindow.addEventListener("begun", done));
      page.write(
        "<script>postMessage = data => parent.postMessage(data, '*'); importScripts = () => {};</" +
        `script><script src="${url}" onload="window.dispatchEvent(new Event('begun'))"></` +
        "script>",
      );
      page.close();
    }

    postMessage(data) {
      this.ready.then(() => this.send(data, "*"));
    }
  };
}
