// All drives at a glance, and the load over time. Called by report.js with its tools.
window.armatureOverview = function (tools) {
  'use strict';
  const {summary, data, element, number, section, legend, perGroup, several, driveColours} = tools;
  if (!several) return;
  const colour = i => driveColours[i % driveColours.length];
  // The share of time in which an arm moves, waits for a sector or transfers: the mean of the arms of the drive, or of an array's drives.
  function utilisation(names) {
    let busy = 0, arms = 0;
    for (const {component, states} of summary.utilisation) {
      if (!names.includes(component.split('.')[0])) continue;
      const kind = component.split('.').pop().replace(/\d+$/, '');
      if (kind === 'srv' && states.seek) { ++arms; busy += states.seek.share; }
      if (kind === 'chn') busy += (states.wait ? states.wait.share : 0) + (states.transfer ? states.transfer.share : 0);
    }
    return arms ? 100 * busy / arms : undefined;
  }
  const all = d => d.response.all.count ? d.response.all : {};
  const figures = [
    ['mean response, ms', d => all(d).mean_ms], ['99 % answered within, ms', d => all(d).p99_ms], ['requests/s', d => d.requests_per_s], ['MB/s', d => d.megabytes_per_s],
    ['utilisation of the arms, %', d => utilisation(d.members || [d.name])], ['average power, W', d => d.energy && d.energy.average_w],
    ['energy, J per request', d => d.energy && d.energy.energy_per_request_j]
  ].map(([name, of]) => ({name, values: summary.drives.map(of)})).filter(f => f.values.some(v => v !== undefined));

  const s = section('Overview', 'All drives beside each other. Each figure has its own scale, from 0.');
  perGroup(s, indices => {
    s.append(legend(indices.map(i => [data.drives[i].name, colour(i)])));
    const panels = element('div', {class: 'panels'});
    s.append(panels);
    for (const {name, values} of figures) {
      const here = indices.map(i => values[i]).filter(v => v !== undefined);
      if (!here.length) continue;
      const most = Math.max(...here, 1e-12), bars = element('div', {class: 'bars small'});
      for (const i of indices) {
        const value = values[i];
        bars.append(element('div', {class: 'name'}, data.drives[i].name),
          element('div', {class: 'bar'}, ...(value === undefined ? [] : [element('i', {style: 'flex:none;width:' + 100 * value / most + '%;background:' + colour(i)})])),
          element('div', {class: 'value'}, value === undefined ? '–' : number(value, value >= 100 ? 1 : value >= 1 ? 2 : 4)));
      }
      panels.append(element('div', {}, element('h3', {}, name), bars));
    }
    const points = indices.map(i => [summary.drives[i], i]).map(([d, i]) => ({x: d.energy && d.energy.average_w, y: all(d).p99_ms, i})).filter(p => p.x > 0 && p.y > 0);
    if (points.length > 1) s.append(element('h3', {}, 'Power against the 99 % point: below and to the left is better'), scatter(points));
  });

  // Points with an error-free scale each: linear, or logarithmic if they span more than a decade.
  function scatter(points) {
    const svg = (tag, attributes, ...children) => {
      const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
      e.append(...children);
      return e;
    };
    const width = 640, height = 320, left = 72, right = 16, top = 10, bottom = 46;
    const scale = values => {
      const low = Math.min(...values), high = Math.max(...values), log = high > 10 * low;
      const f = log ? Math.log10 : v => v;
      const pad = (f(high) - f(low)) * 0.12 || Math.abs(f(high)) * 0.1 || 1, from = f(low) - pad, to = f(high) + pad;
      const ticks = [];
      if (log) {
        for (const {v} of tools.logTicks(Math.pow(10, from), Math.pow(10, to))) ticks.push(v);
      } else {
        const step = tools.niceStep((to - from) / 7);
        for (let v = Math.ceil(from / step) * step; v <= to; v += step) ticks.push(Number(v.toPrecision(8)));
      }
      return {at: v => (f(v) - from) / (to - from), ticks};
    };
    const x = scale(points.map(p => p.x)), y = scale(points.map(p => p.y));
    const px = v => left + x.at(v) * (width - left - right), py = v => height - bottom - y.at(v) * (height - top - bottom);
    const picture = svg('svg', {viewBox: '0 0 ' + width + ' ' + height, class: 'scatter', role: 'img', 'aria-label': 'power against the 99 % point'});
    const text = (words, attributes) => picture.append(svg('text', Object.assign({style: 'fill:var(--soft)', 'font-size': 12}, attributes), words));
    for (const v of x.ticks) {
      picture.append(svg('line', {x1: px(v), x2: px(v), y1: top, y2: height - bottom, style: 'stroke:var(--line)'}));
      text(tools.plain(v), {x: px(v), y: height - bottom + 16, 'text-anchor': 'middle'});
    }
    for (const v of y.ticks) {
      picture.append(svg('line', {x1: left, x2: width - right, y1: py(v), y2: py(v), style: 'stroke:var(--line)'}));
      text(tools.plain(v), {x: left - 6, y: py(v) + 4, 'text-anchor': 'end'});
    }
    text('average power, W', {x: (left + width - right) / 2, y: height - 8, 'text-anchor': 'middle'});
    text('99 % answered within, ms', {transform: 'translate(16 ' + (top + height - bottom) / 2 + ') rotate(-90)', 'text-anchor': 'middle'});
    for (const p of points) picture.append(svg('circle', {cx: px(p.x), cy: py(p.y), r: 7, fill: colour(p.i)},
      svg('title', {}, data.drives[p.i].name + ': ' + number(p.x) + ' W, ' + number(p.y) + ' ms')));
    return picture;
  }
};

// Rates and response time over time, and what requests met: how far the arm went, how long they waited, who was there before.
window.armatureLoad = function (tools) {
  'use strict';
  const {data, element, number, whole, section, legend, perDrive, common, draw, plain, logTicks, perGroup, several, driveColours, endOf, steps} = tools;
  const colour = i => driveColours[i % driveColours.length];
  const drawn = data.drives.filter(d => d.load.rows.length);
  if (!drawn.length) return;
  // Rows of several drives in one chart: x and a column each.
  function joined(indices, of) {
    const rows = new Map();
    indices.forEach((index, i) => of(data.drives[index]).forEach(([x, v]) => {
      if (!rows.has(x)) rows.set(x, new Array(indices.length).fill(null));
      rows.get(x)[i] = v;
    }));
    return [...rows.entries()].sort((a, b) => a[0] - b[0]).map(([x, values]) => [x, ...values]);
  }
  const keys = indices => several ? [legend(indices.map(i => [data.drives[i].name, colour(i), 'rule']))] : [];
  function together(cell, indices, title, rows, x, y, more) {
    const chart = element('div', {class: 'chart'});
    cell.append(element('h3', {}, title), ...keys(indices), chart);
    draw(chart, rows, Object.assign({}, common, {labels: ['x', ...indices.map(i => data.drives[i].name)], colors: indices.map(colour), strokeWidth: 1.4, connectSeparatedPoints: true,
      xlabel: x, ylabel: y}, more));
  }

  {
    const s = section('Load over time', 'Completed requests and their data in each interval, and the response time of those that completed in it: the mean and the longest. ' +
      'A click on a point opens the life of the longest request, if its phases were kept.');
    perGroup(s, indices => {
      const columns = element('div', {class: 'columns'});
      s.append(columns);
      for (const [title, of, unit] of [['Requests a second', r => r[1], '1/s'], ['Data rate', r => r[2] / 1e6, 'MB/s']]) {
        const rows = joined(indices, d => steps(d.load.rows.map(r => [r[0], of(r) / d.load.interval_s]), d.load.interval_s));
        if (!rows.length) continue;
        const cell = element('div', {});
        columns.append(cell);
        const most = Math.max(...rows.flatMap(r => r.slice(1))) || 1;
        together(cell, indices, title, rows, 'time, s', unit, {stepPlot: true, valueRange: [0, most * 1.08], dateWindow: [0, endOf(indices[0])],
          axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'}, y: {axisLabelFormatter: plain, valueFormatter: v => number(v) + ' ' + unit}}});
      }
    });
    const told = drawn.flatMap(d => d.load.rows.filter(r => r[1]).flatMap(r => [r[3], r[4]])).filter(v => v > 0);
    const low = Math.min(...told), high = Math.max(...told), log = high > 10 * low;
    s.append(element('h3', {}, 'Response time'), legend([['mean', 'var(--soft)', 'rule'], ['longest', 'var(--soft)', 'dot']]));
    perDrive(s, (cell, drive, index) => {
      const chart = element('div', {class: 'chart', 'data-drive': drive.name}), hint = element('p', {class: 'hint'});
      if (!drive.load.rows.some(r => r[1])) { cell.append(element('p', {}, 'Nothing completed.')); return; }
      cell.append(chart, hint);
      // The mean of an interval is a step, none where nothing completed; the longest is a point in its middle.
      const middles = new Map(drive.load.rows.filter(r => r[1]).map(r => [r[0], r]));
      const rows = [...steps(drive.load.rows.map(r => [r[0], r[1] ? r[3] : NaN]), drive.load.interval_s).map(([t, mean]) => [t, mean, null]),
        ...[...middles.values()].map(r => [r[0], null, r[4]])].sort((a, b) => a[0] - b[0]);
      draw(chart, rows, Object.assign({}, common, window.armatureFaultMarks(drive), {
        stepPlot: true, connectSeparatedPoints: true, labels: ['s', 'mean', 'longest'], series: {mean: {color: colour(index), strokeWidth: 1.4}, longest: {color: colour(index), strokeWidth: 0, drawPoints: true, pointSize: 2.5}},
        logscale: log, valueRange: log ? [low / 1.3, high * 1.3] : [0, high * 1.08], dateWindow: [0, endOf(index)], xlabel: 'time, s',
        ylabel: 'response time, ms' + (log ? ' (logarithmic)' : ''),
        clickCallback: (_event, x) => {
          const nearest = [...middles.keys()].reduce((best, t) => Math.abs(t - x) < Math.abs(best - x) ? t : best);
          open(drive, middles.get(nearest)[5], hint);
        },
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: Object.assign({valueFormatter: v => number(v) + ' ms'}, log ? {ticker: (from, to) => logTicks(from, to)} : {axisLabelFormatter: plain})}
      }));
    });
  }
  // Opens the life of a request, or says how to see it.
  function open(drive, id, hint) {
    const place = 'request-' + (several ? drive.name + '-' : '') + id, life = document.getElementById(place);
    hint.textContent = life ? '' : 'Request ' + id + ' is not among those whose phases are in this page: armature explain ' + id + ' --run .' + (several ? ' --drive ' + drive.name : '');
    if (!life) return;
    location.hash = place;
    life.open = true;
    life.scrollIntoView();
  }

  {
    const turning = data.drives.some(d => !d.sled);
    const s = section('What requests met', 'Shares of requests: by the distance of the ' + (turning ? 'arm\'s' : 'sled\'s') + ' move to their first access ' +
      (turning ? 'and by the wait for its first sector, ' : 'in X, ') + 'of those that used the medium; ' +
      'by how many requests were in the system when they arrived.');
    const shares = counts => { const sum = counts.reduce((a, b) => a + b, 0); return counts.map(n => sum ? 100 * n / sum : 0); };
    const deepest = Math.max(...data.drives.map(d => d.load.depths.reduce((most, n, i) => n ? i : most, 0)));
    const waits = drawn.some(d => d.load.waits[d.load.waits.length - 1]) ? ' (the last: a turn or more)' : '';
    const pictures = [
      ['Seek distance', d => shares(d.load.seeks.slice(0, -1)).map((v, i) => [i * d.load.seek_bin, v]), turning ? 'cylinders' : 'X positions', whole],
      ...(turning ? [['Rotational wait', d => shares(d.load.waits).map((v, i) => [i * d.load.wait_bin_ms, v]), 'ms' + waits, plain]] : []),
      ['Queue at arrival', d => shares(d.load.depths).slice(0, deepest + 2).map((v, i) => [i, v]), 'requests before it', whole]
    ];
    perGroup(s, indices => {
      const columns = element('div', {class: 'columns three'});
      s.append(columns);
      for (const [title, of, x, format] of pictures) {
        const cell = element('div', {});
        columns.append(cell);
        const rows = joined(indices, of);
        together(cell, indices, title, rows, x, 'requests, %', {stepPlot: true, fillGraph: !several, fillAlpha: 0.3, valueRange: [0, (Math.max(...rows.flatMap(r => r.slice(1))) || 1) * 1.08],
          axes: {x: {axisLabelFormatter: format === whole ? v => Number.isInteger(v) ? whole(v) : '' : format, valueFormatter: v => format(v) + ' ' + x}, y: {axisLabelFormatter: plain, valueFormatter: v => number(v) + ' %'}}});
      }
    });
  }
};
