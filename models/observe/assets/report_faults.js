// Faults of the drives: when each was at work, and which requests it touched. Called by report.js with its tools.
window.armatureFaults = function (tools) {
  'use strict';
  const {data, element, number, whole, section, endOf, several, driveHeading, plain, niceStep, driveColours} = tools;
  if (!data.drives.some(d => d.faults)) return;
  const s = section('Faults', 'When each fault ([[faults]] of the scenario) was at work: a bar. A mark below it is the first time that it touched a request. ' +
    'In the background of the response times over time: the faults that end, and where the others begin.');
  // Over with the frame or the word that it spoils.
  const momentary = fault => fault.end_s === undefined && /^(link_crc|buffer_flip)/.test(fault.what);
  const rows = faults => {
    const found = new Map();
    for (const fault of faults) found.set(fault.number, [...(found.get(fault.number) || []), fault]);
    return [...found.entries()].sort((a, b) => a[0] - b[0]);
  };
  const kindOf = fault => fault.what.split(' ')[0].replace(/_/g, ' ');
  const svg = (tag, attributes, ...children) => {
    const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
    for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
    e.append(...children);
    return e;
  };
  function timeline(drive, index) {
    const end = endOf(index), kinds = rows(drive.faults);
    const width = 1240, left = 150, right = 16, line = 26, top = 4, height = top + line * kinds.length + 40;
    const x = t => left + Math.min(t / end, 1) * (width - left - right);
    const picture = svg('svg', {viewBox: '0 0 ' + width + ' ' + height, class: 'faults', role: 'img', 'aria-label': 'faults of ' + drive.name + ' over time'});
    const text = (words, attributes) => picture.append(svg('text', Object.assign({style: 'fill:var(--soft)', 'font-size': 12}, attributes), words));
    const step = niceStep(end / 8);
    for (let t = 0; t <= end * 1.0001; t += step) {
      picture.append(svg('line', {x1: x(t), x2: x(t), y1: top, y2: height - 36, style: 'stroke:var(--line)'}));
      text(plain(Number(t.toPrecision(8))), {x: x(t), y: height - 20, 'text-anchor': 'middle'});
    }
    text('time, s', {x: (left + width - right) / 2, y: height - 4, 'text-anchor': 'middle'});
    kinds.forEach(([n, faults], row) => {
      const y = top + line * row, colour = driveColours[n % driveColours.length];
      text(n + '  ' + kindOf(faults[0]), {x: 4, y: y + 15});
      for (const fault of faults) {
        const last = momentary(fault) ? fault.begin_s : fault.end_s === undefined ? end : fault.end_s;
        picture.append(svg('rect', {x: x(fault.begin_s), y: y + 4, width: Math.max(x(last) - x(fault.begin_s), 2), height: 10, rx: 1, fill: colour},
          svg('title', {}, fault.what + ': ' + number(fault.begin_s, 6) + ' s' + (last === fault.begin_s ? '' : fault.end_s === undefined ? ' on' : ' to ' + number(last, 6) + ' s'))));
        for (const [request, at] of fault.touched)
          picture.append(svg('line', {x1: x(at), x2: x(at), y1: y + 15, y2: y + 22, style: 'stroke:var(--ink);stroke-width:1.5'}, svg('title', {}, 'request ' + request + ' at ' + number(at, 6) + ' s')));
      }
    });
    return picture;
  }
  const named = fault => {
    const first = fault.touched.slice(0, 8).map(([request]) => request).join(', ');
    return fault.all_touched > 8 ? first + ' ...' : first;
  };
  data.drives.forEach((drive, index) => {
    if (!drive.faults) return;
    if (several) s.append(driveHeading(drive, index));
    s.append(element('div', {class: 'scroll'}, timeline(drive, index)));
    const heads = ['fault', 'what', 'begins, s', 'lasts, ms', 'requests touched', 'which'], left = k => k < 2 || k === 5 ? {class: 'left'} : {};
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, ...heads.map((n, k) => element('th', left(k), n)))));
    table.append(element('tbody', {}, ...drive.faults.map(fault => element('tr', {}, ...[String(fault.number), fault.what, number(fault.begin_s, 6),
      momentary(fault) ? '' : fault.end_s === undefined ? 'to the end' : number((fault.end_s - fault.begin_s) * 1e3, 3), whole(fault.all_touched), named(fault)].map((c, k) => element('td', left(k), c))))));
    s.append(element('div', {class: 'scroll short'}, table));
    if (drive.all_faults > drive.faults.length) s.append(element('p', {class: 'hint'}, 'The first ' + whole(drive.faults.length) + ' of ' + whole(drive.all_faults) + '; faults.csv has all.'));
  });
};

// The faults of a drive in the background of a chart whose x are seconds: an option of dygraphs.
window.armatureFaultMarks = function (drive) {
  'use strict';
  if (!drive.faults) return {};
  return {underlayCallback: (canvas, area, chart) => {
    canvas.fillStyle = 'rgba(176,0,32,0.16)';
    // Those at work at the same time are one bar.
    let drawn = area.x;
    for (const fault of [...drive.faults].sort((a, b) => a.begin_s - b.begin_s)) {
      const from = Math.max(chart.toDomXCoord(fault.begin_s), drawn);
      const to = Math.min(Math.max(chart.toDomXCoord(fault.end_s === undefined ? fault.begin_s : fault.end_s), from + 1.5), area.x + area.w);
      if (chart.toDomXCoord(fault.begin_s) > area.x + area.w || to <= from) continue;
      canvas.fillRect(from, area.y, to - from, area.h);
      drawn = to;
    }
  }};
};
