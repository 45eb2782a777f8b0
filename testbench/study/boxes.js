// The faults of a page as a list of sentences, by measuring the boxes of all texts and pictures that can be seen.
(() => {
  const faults = [], paper = matchMedia('print').matches;
  const wide = document.scrollingElement.scrollWidth;
  if (wide > innerWidth + 1) {
    const widest = [...document.body.querySelectorAll('*')].map(e => [e, e.getBoundingClientRect().right]).sort((a, b) => b[1] - a[1])[0][0];
    faults.push(`the page is ${wide} px wide in a window of ${innerWidth} px: ${widest.tagName}.${widest.getAttribute('class')}`);
  }

  // What the ancestors that scroll or cut leave of the page at an element, and under `hard` what those leave of it that nobody
  // can scroll; null if one of them hides it.
  const all = {left: -Infinity, top: -Infinity, right: Infinity, bottom: Infinity}, whole = {...all, hard: all};
  const known = new Map([[document.body, whole]]), scrolls = overflow => !paper && (overflow === 'auto' || overflow === 'scroll');
  function frameOf(e) {
    if (!e) return whole;
    if (known.has(e)) return known.get(e);
    const outer = frameOf(e.parentElement), style = getComputedStyle(e);
    let frame = outer;
    if (!outer || style.display === 'none' || style.visibility === 'hidden' || Number(style.opacity) === 0) {
      frame = null;
    } else if (style.overflowX !== 'visible' || style.overflowY !== 'visible') {
      const box = e.getBoundingClientRect();
      const cut = (of, x, y) => ({left: x ? Math.max(of.left, box.left) : of.left, right: x ? Math.min(of.right, box.right) : of.right,
        top: y ? Math.max(of.top, box.top) : of.top, bottom: y ? Math.min(of.bottom, box.bottom) : of.bottom});
      const cuts = overflow => overflow !== 'visible' && !scrolls(overflow);
      frame = {...cut(outer, style.overflowX !== 'visible', style.overflowY !== 'visible'),
        hard: cut(outer.hard, cuts(style.overflowX), cuts(style.overflowY))};
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
      if (shown) texts.push({words: words.slice(0, 50), parent, box: shown, whole: box, hard: frameOf(parent).hard});
    }
  }

  // The corners of a picture's text that stands aslant, in order; null if its box is the text itself.
  function slanted(element) {
    const matrix = element.getScreenCTM && element.getBBox ? element.getScreenCTM() : null;
    if (!matrix || Math.min(Math.abs(matrix.b), Math.abs(matrix.a)) < 0.02) return null;
    const {x, y, width, height} = element.getBBox();
    return [[x, y], [x + width, y], [x + width, y + height], [x, y + height]].map(([u, v]) => new DOMPoint(u, v).matrixTransform(matrix));
  }
  const corners = text => slanted(text.parent) || [[text.box.left, text.box.top], [text.box.right, text.box.top],
    [text.box.right, text.box.bottom], [text.box.left, text.box.bottom]].map(([x, y]) => ({x, y}));
  // By how many pixels two convex shapes overlap at least, whichever way one looks.
  function depth(a, b) {
    let least = Infinity;
    for (const shape of [a, b]) {
      for (let i = 0; i < shape.length; ++i) {
        const from = shape[i], to = shape[(i + 1) % shape.length], length = Math.hypot(to.x - from.x, to.y - from.y);
        const along = points => points.map(p => (p.x * (from.y - to.y) + p.y * (to.x - from.x)) / length);
        const one = along(a), other = along(b);
        least = Math.min(least, Math.min(Math.max(...one), Math.max(...other)) - Math.max(Math.min(...one), Math.min(...other)));
      }
    }
    return least;
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
      if (across > slack && down > slack && (!(slanted(a.parent) || slanted(b.parent)) || depth(corners(a), corners(b)) > slack))
        faults.push(`"${a.words}" and "${b.words}" overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px`);
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

  // ---- cut off by what cannot be scrolled. A name that is shortened may be, if pointing at it shows the whole.
  for (const {words, parent, whole: box, hard} of texts) {
    if (parent.closest('svg')) continue;
    const lost = Math.max(hard.left - box.left, box.right - hard.right, hard.top - box.top, box.bottom - hard.bottom);
    if (lost > slack && (paper || !parent.title || getComputedStyle(parent).textOverflow !== 'ellipsis')) faults.push(`"${words}" is cut off by ${lost.toFixed(0)} px`);
  }

  // ---- words that no figure has
  for (const {words} of texts) if (/(^|[^\w])(NaN|undefined|null|-?Infinity)([^\w]|$)/.test(words)) faults.push(`"${words}" is no figure`);

  // ---- overlap of whole pictures, tables, headings and paragraphs
  const blocks = [...document.querySelectorAll('.chart, .picture, .bars, .legend, .tiles, .panels > div, table, svg.scatter, svg.stack, h1, h2, h3, p, pre, nav')]
    .filter(e => !e.closest('.js-plotly-plot, .dygraph-legend')).map(e => [e, seen(e, e.getBoundingClientRect())]).filter(([, box]) => box);
  blocks.sort((a, b) => a[1].top - b[1].top);
  const called = e => `${e.tagName.toLowerCase()}${e.getAttribute('class') ? '.' + e.getAttribute('class') : ''} "${e.textContent.trim().slice(0, 30)}"`;
  blocks.forEach(([a, p], i) => {
    for (let j = i + 1; j < blocks.length && blocks[j][1].top < p.bottom; ++j) {
      const [b, q] = blocks[j];
      if (a.contains(b) || b.contains(a)) continue;
      const across = Math.min(p.right, q.right) - Math.max(p.left, q.left), down = Math.min(p.bottom, q.bottom) - Math.max(p.top, q.top);
      if (across > slack && down > slack) faults.push(`${called(a)} and ${called(b)} overlap by ${across.toFixed(0)} x ${down.toFixed(0)} px`);
    }
  });

  // ---- axes without a title, and with labels of which one does not tell from another
  const heading = e => { const h = e.closest('div:has(> h3)'); return h ? h.querySelector('h3').textContent : e.id || 'a picture'; };
  const twice = (labels, of, axis) => labels.forEach((label, i) => { if (label && labels.indexOf(label) < i) faults.push(`${of}: two ticks ${axis} say "${label}"`); });
  for (const chart of window.armatureCharts || []) {
    const place = chart.maindiv_;
    if (!place.checkVisibility()) continue;
    for (const axis of ['x', 'y']) {
      if (!chart.getOption(axis + 'label')) faults.push(`${heading(place)}: no title of axis ${axis}`);
      twice([...place.querySelectorAll('.dygraph-axis-label-' + axis)].map(e => e.textContent.trim()), heading(place), axis);
    }
  }
  for (const plot of document.querySelectorAll('.js-plotly-plot')) {
    if (!plot.checkVisibility()) continue;
    const key = plot.querySelector('.infolayer .legend'), area = plot.querySelector('.nsewdrag');
    if (key && area) {
      const a = key.getBoundingClientRect(), b = area.getBoundingClientRect();
      if (Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > slack && Math.min(a.right, b.right) - Math.max(a.left, b.left) > slack)
        faults.push(`${plot.id || heading(plot)}: the legend covers ${(Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top)).toFixed(0)} px of the picture`);
    }
    for (const [name, axis] of Object.entries(plot._fullLayout || {})) {
      if (!/^[xy]axis\d*$/.test(name) || !axis.visible || !axis.showticklabels) continue;
      const words = axis.type === 'category' || (axis.ticktext || []).length > 0;  // names and figures that say themselves what they are
      if (!words && !(axis.title && axis.title.text && axis.title.text !== 'Click to enter X axis title' && axis.title.text !== 'Click to enter Y axis title'))
        faults.push(`${plot.id || heading(plot)}: no title of axis ${name}`);
      twice([...plot.querySelectorAll('.' + name[0] + (name.match(/\d+$/) || [''])[0] + 'tick text')].map(e => e.textContent.trim()), plot.id || heading(plot), name);
    }
  }

  // ---- pictures that are larger than their places
  for (const e of document.querySelectorAll('.chart canvas, .picture .main-svg')) {
    const box = e.getBoundingClientRect(), place = e.closest('.chart, .picture').getBoundingClientRect();
    if (box.width > 0 && (box.right > place.right + 2 || box.left < place.left - 2 || box.bottom > place.bottom + 2))
      faults.push(`${heading(e)}: the picture is ${box.width.toFixed(0)} px wide in a place of ${place.width.toFixed(0)} px`);
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
