// The faults of a page as a list of sentences, by measuring the boxes of all texts that can be seen.
(() => {
  const faults = [];
  const wide = document.scrollingElement.scrollWidth;
  if (wide > innerWidth + 1) {
    const widest = [...document.body.querySelectorAll('*')].map(e => [e, e.getBoundingClientRect().right]).sort((a, b) => b[1] - a[1])[0][0];
    faults.push(`the page is ${wide} px wide in a window of ${innerWidth} px: ${widest.tagName}.${widest.getAttribute('class')}`);
  }

  // What the ancestors that scroll or cut leave of the page at an element; null if one of them hides it.
  const whole = {left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity}, known = new Map([[document.body, whole]]);
  function frameOf(e) {
    if (!e) return whole;
    if (known.has(e)) return known.get(e);
    const outer = frameOf(e.parentElement), style = getComputedStyle(e);
    let frame = outer;
    if (!outer || style.display === 'none' || style.visibility === 'hidden' || Number(style.opacity) === 0) {
      frame = null;
    } else if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
      const box = e.getBoundingClientRect();
      frame = {...outer};
      if (style.overflowX !== 'visible') { frame.left = Math.max(outer.left, box.left); frame.right = Math.min(outer.right, box.right); }
      if (style.overflowY !== 'visible') { frame.top = Math.max(outer.top, box.top); frame.bottom = Math.min(outer.bottom, box.bottom); }
    }
    known.set(e, frame);
    return frame;
  }
  function seen(element, box) {
    const frame = frameOf(element);
    if (!frame) return null;
    const left = Math.max(box.left, frame.left), top = Math.max(box.top, frame.top);
    const right = Math.min(box.right, frame.right), bottom = Math.min(box.bottom, frame.bottom);
    return right - left > 0.5 && bottom - top > 0.5 ? {left, top, right, bottom} : null;
  }
  const hidden = new Set(['SCRIPT', 'STYLE', 'NOSCRIPT', 'OPTION', 'SELECT', 'TITLE', 'title']);
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const texts = [];
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const words = node.textContent.trim(), parent = node.parentElement;
    if (!words || hidden.has(parent.tagName) || parent.closest('script, style, noscript, title, .hoverlayer, .modebar, .dygraph-legend')) continue;
    if (parent.checkVisibility && !parent.checkVisibility({contentVisibilityAuto: true})) continue;  // in a closed <details>
    const range = document.createRange();
    range.selectNodeContents(node);
    for (const box of range.getClientRects()) {
      const shown = seen(parent, box);
      if (shown) texts.push({words: words.slice(0, 50), parent, box: shown, whole: box});
    }
  }

  // ---- overlap: of lines of a picture or a table, more than their fonts' edges
  const slack = 2.5;
  texts.sort((a, b) => a.box.top - b.box.top);
  for (let i = 0; i < texts.length; ++i) {
    const a = texts[i];
    for (let j = i + 1; j < texts.length && texts[j].box.top < a.box.bottom; ++j) {
      const b = texts[j];
      if (a.parent === b.parent) continue;
      const across = Math.min(a.box.right, b.box.right) - Math.max(a.box.left, b.box.left);
      const down = Math.min(a.box.bottom, b.box.bottom) - Math.max(a.box.top, b.box.top);
      if (across > slack && down > slack) faults.push(`"${a.words}" and "${b.words}" overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px`);
    }
  }

  // ---- cut off by its picture: an SVG's text outside of it
  for (const text of texts) {
    const svg = text.parent.closest('svg');
    if (!svg) continue;
    const frame = svg.getBoundingClientRect(), box = text.whole;
    if (box.left < frame.left - 2 || box.right > frame.right + 2 || box.top < frame.top - 2 || box.bottom > frame.bottom + 2)
      faults.push(`"${text.words}" reaches out of its picture`);
  }

  // ---- bars without room
  for (const bar of document.querySelectorAll('.bar, .chart, .picture')) {
    const box = bar.getBoundingClientRect();
    if (bar.checkVisibility() && (box.width < 40 || box.height < 5)) faults.push(`a ${bar.className} is ${box.width.toFixed(0)} x ${box.height.toFixed(0)} px`);
  }

  // ---- contrast of text on the ground below it (W3C's formula; 3 is the least for large text)
  const channels = colour => (colour.match(/[\d.]+/g) || []).map(Number);
  const light = rgb => rgb.slice(0, 3).map(c => c / 255).map(c => c <= 0.03928 ? c / 12.92 : Math.pow((c + 0.055) / 1.055, 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const grounds = new Map();
  function ground(element) {
    if (!element) return [255, 255, 255];
    if (!grounds.has(element)) {
      const colour = channels(getComputedStyle(element).backgroundColor);
      grounds.set(element, colour.length === 3 || colour[3] > 0.5 ? colour : ground(element.parentElement));
    }
    return grounds.get(element);
  }
  const faint = new Set();
  for (const {words, parent} of texts) {
    if (parent.closest('.heatmap-label, svg.stack')) continue;  // on cells and discs of their own colour
    const style = getComputedStyle(parent), ink = channels(parent.closest('svg') ? style.fill : style.color);
    if (ink.length < 3) continue;
    const [a, b] = [light(ink), light(ground(parent))].sort((p, q) => q - p);
    if ((a + 0.05) / (b + 0.05) < 3) faint.add(`"${words}" is hardly seen on its ground`);
  }
  return [...faults, ...faint];
})()
