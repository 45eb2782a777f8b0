// The search without a server: a browser starts no worker of a page that it opened as a file. There the search runs in a hidden
// frame with the interface of a worker. build.py gives the site this script under a name by which the theme knows it.
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super();
      const frame = document.createElement("iframe");
      frame.hidden = true;
      document.body.appendChild(frame);
      this.inside = frame.contentWindow;
      window.addEventListener("message", event => {
        if (event.source === this.inside) this.dispatchEvent(new MessageEvent("message", {data: event.data}));
      });
      this.inside.document.open();  // this takes handlers away that were there
      this.loaded = new Promise(done => { this.inside.onload = done; });
      this.inside.document.write(
        `<script>const up = parent; postMessage = message => up.postMessage(message, "*");</script><script src="${url}"></script>`);
      this.inside.document.close();
    }

    postMessage(data) {
      this.loaded.then(() => this.inside.dispatchEvent(new MessageEvent("message", {data: structuredClone(data)})));
    }

    terminate() {}
  };
}
