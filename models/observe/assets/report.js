// Draws the report from the data embedded in the page. Charts by dygraphs; the rest is HTML.
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const summary = data.summary;
  const report = document.getElementById('report');
  report.textContent = '';
  // An array is the system; its drives are parts of it and come after all that answer the host themselves.
  const parts = new Set(summary.drives.flatMap(d => d.members || []));
  const order = summary.drives.map((_, i) => i).sort((a, b) => parts.has(summary.drives[a].name) - parts.has(summary.drives[b].name));
  data.drives = order.map(i => data.drives[i]);
  summary.drives = order.map(i => summary.drives[i]);
  const systems = summary.drives.filter(d => !parts.has(d.name)).length;
  const all = [...order.keys()];
  const groups = [{indices: all.slice(0, systems), title: ''}, {indices: all.slice(systems), title: 'Drives of the array'}].filter(g => g.indices.length);
  // What the user called a drive comes first; its model stands beside it where there is room.
  data.drives.forEach((drive, i) => { drive.model = summary.drives[i].title || ''; drive.title = drive.name; });

  // Colours: palette.js. Waiting is grey, electronics is sand, mechanics is blue, the link is green.
  const {drives: driveColours, read: readColour, write: writeColour, phases: phaseColours} = window.armaturePalette;
  const phaseNames = data.phases.map(p => p.replace(/_/g, ' '));

  function element(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    for (const child of children) e.append(child);
    return e;
  }
  function number(value, digits) {
    if (value === undefined || value === null) return '';
    const magnitude = Math.abs(value);
    if (digits === undefined && magnitude > 0 && magnitude < 1e-4) return value.toExponential(2);
    const decimals = digits !== undefined ? digits
      : magnitude === 0 ? 0 : magnitude >= 1 ? 2 : magnitude >= 0.01 ? 4 : 6;
    return value.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
  }
  const whole = value => value.toLocaleString('en-US', {maximumFractionDigits: 0});
  const contents = element('nav', {class: 'contents', 'aria-label': 'Contents'});
  function section(title, say) {
    const id = title.toLowerCase().replace(/[^a-z0-9]+/g, '-');
    const s = element('section', {id}, element('h2', {}, title), element('p', {class: 'say'}, say));
    report.append(s);
    contents.append(element('a', {href: '#' + id}, title));
    return s;
  }
  function legend(entries) {
    const l = element('div', {class: 'legend'});
    for (const [name, colour, shape] of entries) {
      const swatch = element('i', {class: shape || '', style: (shape === 'rule' ? 'border-color:' : 'background:') + colour});
      if (shape === 'rule dashed') swatch.setAttribute('style', 'border-top-style:dashed;border-color:' + colour);
      l.append(element('span', {}, swatch, name));
    }
    return l;
  }
  const armColour = i => driveColours[(i + 2) % 8];
  const several = data.drives.length > 1;
  function driveHeading(drive, index) {
    return element('h3', {}, element('i', {class: 'mark', style: 'background:' + driveColours[index % driveColours.length]}), drive.name,
      element('span', {class: 'model'}, drive.model === drive.name ? '' : drive.model));
  }
  // The systems, then their parts under a heading.
  function perGroup(parent, fill) {
    for (const group of groups) {
      if (group.title) parent.append(element('h3', {class: 'group'}, group.title));
      fill(group.indices, parent);
    }
  }
  function perDrive(parent, fill) {
    perGroup(parent, indices => {
      const columns = element('div', {class: 'columns'});
      parent.append(columns);
      for (const index of indices) {
        const cell = element('div', {});
        columns.append(cell);
        if (several) cell.append(driveHeading(data.drives[index], index));
        fill(cell, data.drives[index], index);
      }
    });
  }
  // The time up to which any drive of its group worked: the pictures over time of a group reach to it.
  function endOf(index) {
    const group = groups.find(g => g.indices.includes(index));
    return Math.max(...group.indices.map(i => summary.drives[i].end_s), 1e-9);
  }
  const common = {
    axisLineColor: 'rgba(128,140,155,0.7)', gridLineColor: 'rgba(128,140,155,0.28)', axisLabelFontSize: 12, rightGap: 16, legend: 'onmouseover',
    highlightCircleSize: 4, xLabelHeight: 22, yLabelWidth: 20, axisTickSize: 6
  };

  // Charts by their place in the page, for whoever wants to ask one.
  const charts = window.armatureCharts = [];
  // A chart is drawn before its neighbours take their part of the row: it follows its place from then on. On paper it would be
  // empty if it were drawn anew, so it keeps its size and is scaled to the sheet.
  const paper = matchMedia('print'), sheet = 1000;
  const sizes = new ResizeObserver(entries => {
    if (!paper.matches) entries.forEach(entry => charts.find(chart => chart.maindiv_ === entry.target).resize());
  });
  paper.addEventListener('change', () => charts.forEach(chart => {
    const {width} = chart.size(), {style} = chart.maindiv_;
    style.width = paper.matches ? width + 'px' : '';
    style.zoom = paper.matches ? String(Math.min(1, sheet / width)) : '';
  }));
  function draw(place, rows, options) {
    // Room for "10,000" beside the title of the axis.
    const {x, y} = options.axes, axes = {x, y: Object.assign({axisLabelWidth: 60}, y)};
    const chart = new Dygraph(place, rows, Object.assign({}, options, {axes}));
    charts.push(chart);
    sizes.observe(place);
    return chart;
  }

  // What stands for all of an interval is drawn in steps. `rows` are [middle, value ...]; their result is [beginning, value ...] and
  // a last row at the end. NaN breaks a line; null is the place of another series' point, over which a line goes on.
  function steps(rows, interval) {
    const begin = rows.map(([middle, ...values]) => [Math.max(middle - interval / 2, 0), ...values]);
    return rows.length ? [...begin, [begin[begin.length - 1][0] + interval, ...begin[begin.length - 1].slice(1)]] : begin;
  }

  // ---- head
  const run = summary.run;
  const head = element('header', {},
    element('div', {class: 'kicker'}, 'Armature simulation report'),
    element('h1', {}, summary.scenario),
    element('p', {}, data.drives.slice(0, systems).map(d => d.model && d.model !== d.name ? d.name + ' (' + d.model + ')' : d.name).join('  ·  ')),
    element('p', {class: 'hint'}, ...(data.command ? [element('code', {}, data.command), '  ·  '] : []), data.date));
  if (!summary.complete) head.append(element('span', {class: 'warning'}, 'Partial result: ' + summary.reason));
  for (const drive of summary.drives.slice(0, systems))
    for (const cut of (drive.power_cuts || []).slice(0, 6))
      head.append(element('span', {class: 'warning'}, drive.name + ': no supply from ' + number(cut.off_s, 6) + ' s' +
        (cut.on_s === undefined ? ' on' : ' to ' + number(cut.on_s, 6) + ' s')));
  for (const label of summary.labels) head.append(element('span', {class: 'label'}, label));
  report.append(head);
  const tiles = element('div', {class: 'tiles'});
  const tile = (value, what) => tiles.append(element('div', {class: 'tile'}, element('b', {}, value), element('span', {}, what)));
  const completed = summary.drives.slice(0, systems).reduce((sum, d) => sum + d.completed, 0);
  tile(whole(completed), 'requests completed');
  tile(number(run.simulated_s, 3) + ' s', 'simulated');
  const only = systems === 1 ? summary.drives[0] : null;
  if (only && only.response.all.count) {
    tile(number(only.response.all.mean_ms) + ' ms', 'mean response');
    tile(number(only.response.all.p99_ms) + ' ms', '99 % answered within');
  }
  const energy = only && only.energy;
  if (energy) tile(number(energy.average_w) + ' W', 'average power');
  if (energy && energy.energy_per_request_j !== undefined) {
    const joules = energy.energy_per_request_j;  // a MEMS store's are a millijoule and less
    tile(number(joules, joules < 0.01 ? undefined : 3) + ' J', 'energy a request');
    tile(number(energy.energy_delay_js) + ' J s', 'energy x response time');
  }
  tile(number(run.wall_s) + ' s', 'wall time');
  if (run.wall_s > 0) tile(whole(completed / run.wall_s), 'requests per wall second');
  report.append(tiles, contents);

  // ---- overview of several drives: report_overview.js
  const tools = {data, summary, element, number, whole, section, legend, perDrive, perGroup, endOf, common, draw, niceStep, plain, logTicks, phaseColours, phaseNames, several,
    armColour, driveColours, driveHeading, readColour, writeColour, steps};
  window.armatureOverview(tools);

  // ---- figures
  {
    const s = section('Response time and load',
      'Response time is from the arrival at the host queue to the completion at the host. Times in milliseconds.');
    const names = ['drive', 'requests', 'count', 'failed', 'mean', 'median', '90 %', '95 %', '99 %', '99.9 %', '99.99 %', 'longest'];
    const disks = data.drives.some(d => !d.sled);
    const heads = ['drive', 'requests/s', 'MB/s', 'mean number in the system', 'maximum in the system', 'mean positioning, ms',
      disks ? 'mean move, cylinders' : 'mean move, positions', ...(disks ? ['missed revolutions'] : []), 'unfinished', 'dropped'];
    perGroup(s, indices => {
      const table = element('table', {}), body = element('tbody', {});
      table.append(element('thead', {}, element('tr', {}, ...names.map((n, i) => element('th', i < 2 ? {class: 'left'} : {}, n)))), body);
      for (const index of indices) {
        const drive = summary.drives[index];
        for (const kind of ['all', 'read', 'write', 'flush']) {
          const r = drive.response[kind];
          if (!r.count || (kind !== 'all' && r.count === drive.response.all.count && kind === 'flush')) continue;
          const cells = [kind === 'all' ? data.drives[index].title : '', {all: 'all', read: 'reads', write: 'writes', flush: 'flushes'}[kind],
            whole(r.count), whole(r.failed), ...['mean_ms', 'p50_ms', 'p90_ms', 'p95_ms', 'p99_ms', 'p99_9_ms', 'p99_99_ms', 'max_ms'].map(k => number(r[k]))];
          body.append(element('tr', {}, ...cells.map((c, i) => element('td', i < 2 ? {class: 'left'} : {}, c))));
        }
      }
      const load = element('table', {});
      load.append(element('thead', {}, element('tr', {}, ...heads.map(n => element('th', {}, n)))));
      load.append(element('tbody', {}, ...indices.map(i => [i, summary.drives[i]]).map(([i, d]) => element('tr', {},
        ...[data.drives[i].title, number(d.requests_per_s), number(d.megabytes_per_s), number(d.queue.mean_depth), whole(d.queue.max_depth),
          number(d.positioning.mean_positioning_ms), number(d.positioning.mean_seek_cylinders, 1),
          ...(disks ? [whole(d.positioning.missed_revolutions)] : []), whole(d.unfinished), whole(d.dropped)].map(c => element('td', {}, c))))));
      s.append(element('div', {class: 'scroll'}, table), element('h3', {}, 'Load and mechanics'), element('div', {class: 'scroll'}, load));
    });
  }

  // ---- distribution
  {
    const s = section('Distribution of response times',
      'The share of requests answered within a time: how often, not only how long on average. Drag to zoom, double-click to return.');
    perGroup(s, indices => {
      const labels = ['ms'], series = {}, columns = [], entries = [];
      for (const index of indices) {
        const drive = data.drives[index];
        for (const kind of ['read', 'write']) {
          if (!drive.cdf[kind].length) continue;
          const name = (several ? drive.title + ', ' : '') + kind + 's';
          const colour = several ? driveColours[index % driveColours.length] : kind === 'read' ? readColour : writeColour;
          labels.push(name);
          columns.push(drive.cdf[kind]);
          const dashed = several && kind === 'write';
          series[name] = {color: colour, strokeWidth: 2, strokePattern: dashed ? [6, 4] : null};
          entries.push([name, colour, dashed ? 'rule dashed' : 'rule']);
        }
      }
      if (columns.length) {
        const chart = element('div', {class: 'chart tall'});
        s.append(legend(entries), chart);
        // One row a time; a distribution has a value only where it was sampled, and the points are joined.
        const rows = new Map();
        columns.forEach((points, c) => points.forEach(([ms, fraction]) => {
          const x = Math.max(ms, 1e-6);
          if (!rows.has(x)) rows.set(x, new Array(columns.length).fill(null));
          rows.get(x)[c] = fraction * 100;
        }));
        const rowList = [...rows.entries()].sort((a, b) => a[0] - b[0]).map(([x, values]) => [x, ...values]);
        const lowest = rowList[0][0], highest = rowList[rowList.length - 1][0];
        draw(chart, rowList, Object.assign({}, common, {
          labels, series, connectSeparatedPoints: true, xlabel: 'response time, ms (logarithmic)', ylabel: 'requests answered, %',
          valueRange: [0, 100.5], dateWindow: [lowest / 1.15, highest * 1.15],
          axes: {x: {logscale: true, ticker: logTicks, valueFormatter: v => number(v) + ' ms'},
                 y: {axisLabelFormatter: v => v + ' %', valueFormatter: v => v === null ? '' : number(v, 3) + ' %'}}
        }));
        // Beyond the last time nothing is left: no place on a logarithmic axis.
        const tail = rowList.map(([x, ...values]) => [x, ...values.map(v => v === null || v >= 100 ? null : 100 - v)]);
        const least = Math.min(...tail.flatMap(r => r.slice(1)).filter(v => v !== null && v > 0), 100);
        if (least < 50) {
          const place = element('div', {class: 'chart tall'});
          s.append(element('h3', {}, 'The tail: requests that take longer'), place);
          draw(place, tail, Object.assign({}, common, {
            labels, series, connectSeparatedPoints: true, logscale: true, xlabel: 'response time, ms (logarithmic)', ylabel: 'requests that take longer, % (logarithmic)',
            valueRange: [least / 1.3, 110], dateWindow: [lowest / 1.15, highest * 1.15],
            axes: {x: {logscale: true, ticker: logTicks, valueFormatter: v => number(v) + ' ms'},
                   y: {ticker: (from, to) => logTicks(from, to, true), axisLabelFormatter: v => plain(v) + ' %', valueFormatter: v => v === null ? '' : plain(Number(v.toPrecision(3))) + ' %'}}
          }));
        }
      } else {
        s.append(element('p', {}, 'No reads and no writes completed.'));
      }
    });
  }
  // 1, 2, 5 in each decade.
  function logTicks(from, to, percent) {
    const ticks = [];
    const decades = Math.log10(to / from);
    const steps = decades > (percent === true ? 1.5 : 4) ? [1] : [1, 2, 5];
    for (let exponent = Math.floor(Math.log10(from)); Math.pow(10, exponent) <= to; ++exponent) {
      for (const step of steps) {
        const v = step * Math.pow(10, exponent);
        if (v >= from && v <= to) ticks.push({v, label: String(Number(v.toPrecision(6))) + (percent === true ? ' %' : '')});
      }
    }
    return ticks;
  }

  // ---- measured and simulated
  if (data.drives.some(d => d.measured.length)) {
    const s = section('Measured and simulated',
      'The trace says how long the real drive took. Shares of requests answered within a time, measured and simulated, of the same requests.');
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, ...['drive', 'requests compared', 'measured mean, ms', 'simulated mean, ms', 'mean error, ms',
      'mean absolute error, ms', 'distance of the distributions (rms), ms'].map((n, i) => element('th', i < 1 ? {class: 'left'} : {}, n)))));
    table.append(element('tbody', {}, ...summary.drives.map((d, i) => element('tr', {}, ...[data.drives[i].title, whole(d.measured.compared),
      number(d.measured.mean_measured_ms), number(d.measured.mean_simulated_ms), signed(d.measured.mean_error_ms),
      number(d.measured.mean_absolute_error_ms), number(d.measured.rms_distance_ms)].map((c, k) => element('td', k < 1 ? {class: 'left'} : {}, c))))));
    s.append(element('div', {class: 'scroll'}, table));
    perDrive(s, (cell, drive, index) => {
      if (!drive.measured.length) { cell.append(element('p', {}, 'No request had a measured time.')); return; }
      const chart = element('div', {class: 'chart tall'});
      cell.append(legend([['measured', '#7d8998', 'rule dashed'], ['simulated', driveColours[index % driveColours.length], 'rule']]), chart);
      const rows = new Map();
      drive.measured.forEach(([m, simulated, fraction]) => [m, simulated].forEach((ms, column) => {
        const x = Math.max(ms, 1e-6);
        if (!rows.has(x)) rows.set(x, [null, null]);
        rows.get(x)[column] = fraction * 100;
      }));
      const list = [...rows.entries()].sort((a, b) => a[0] - b[0]).map(([x, values]) => [x, ...values]);
      draw(chart, list, Object.assign({}, common, {
        labels: ['ms', 'measured', 'simulated'], connectSeparatedPoints: true,
        series: {measured: {color: '#7d8998', strokeWidth: 2, strokePattern: [6, 4]}, simulated: {color: driveColours[index % driveColours.length], strokeWidth: 2}},
        xlabel: 'response time, ms (logarithmic)', ylabel: 'requests answered, %', valueRange: [0, 100.5],
        dateWindow: [list[0][0] / 1.15, list[list.length - 1][0] * 1.15],
        axes: {x: {logscale: true, ticker: logTicks, valueFormatter: v => number(v) + ' ms'},
               y: {axisLabelFormatter: v => v + ' %', valueFormatter: v => v === null ? '' : number(v, 3) + ' %'}}
      }));
    });
  }
  function signed(value) { return value === undefined ? '' : (value > 0 ? '+' : '') + number(value); }

  // ---- breakdown
  {
    const s = section('Where the time goes',
      'Mean time of a request in each phase of its way. The phases partition the response time exactly; bands are by response time.');
    const used = data.phases.map((_, i) => data.drives.some(d => d.breakdown.some(r => r.parts[i] > 0)));
    // Waits for other requests: in the host's queue and the drive's.
    const waits = data.phases.map(p => p === 'host_queue' || p === 'drive_queue');
    const box = element('input', {type: 'checkbox', id: 'service-only'});
    s.append(element('p', {class: 'choose'}, element('label', {}, box, ' service only: without the wait for other requests')));
    const key = element('div', {});
    s.append(key);
    const counted = i => !(box.checked && waits[i]);
    // The bands of slow requests would dwarf the means: two groups, each with its own axis.
    const bars = element('div', {});
    s.append(bars);
    const total = row => row.parts.reduce((a, b, i) => a + (counted(i) ? b : 0), 0);
    // A click on a bar makes it as long as the page is wide, a second one returns: short parts become visible.
    const group = (title, rows) => {
      if (!rows.length) return;
      const place = element('div', {class: 'bars zoomable'});
      bars.append(place);
      const show = zoomed => {
        place.textContent = '';
        place.append(element('div', {class: 'gap'}), element('div', {class: 'name', style: 'grid-column:1/-1;color:var(--soft);font-size:13px'}, title));
        const longest = Math.max(zoomed ? total(zoomed.row) : Math.max(...rows.map(r => total(r.row))), 1e-9);
        for (const entry of rows) {
          const {row, drive} = entry;
          const bar = element('div', {class: 'bar'});
          row.parts.forEach((part, i) => {
            if (part <= 0 || !counted(i)) return;
            bar.append(element('i', {style: 'flex:none;width:' + (100 * part / longest) + '%;background:' + phaseColours[data.phases[i]],
              title: phaseNames[i] + ': ' + number(part) + ' ms (' + number(100 * part / total(row), 1) + ' %)'}));
          });
          bar.addEventListener('click', () => show(zoomed === entry ? null : entry));
          place.append(element('div', {class: 'name'}, several ? row.label + ', ' + drive.title : row.label), bar,
            element('div', {class: 'value'}, number(total(row)) + ' ms'));
        }
        const axis = element('div', {class: 'axis'});
        const step = niceStep(longest / (innerWidth < 900 ? 4 : 6));
        for (let v = 0; v <= longest * 1.0001; v += step) {
          axis.append(element('span', {style: 'left:' + (100 * v / longest) + '%'}, String(Number(v.toPrecision(6)))));
        }
        place.append(element('div', {}), axis, element('div', {}));
      };
      show(null);
    };
    const isBand = row => !['all requests', 'reads', 'writes'].includes(row.label);
    // Drives stand next to each other in each row of the comparison.
    const labels = [...new Set(data.drives.flatMap(d => d.breakdown.map(r => r.label)))];
    const rows = (band, indices) => labels.flatMap(label => indices.map(i => data.drives[i]).flatMap(drive =>
      drive.breakdown.filter(r => r.label === label && isBand(r) === band).map(row => ({row, drive}))));
    const show = () => {
      bars.textContent = '';
      key.replaceChildren(legend(data.phases.map((p, i) => [phaseNames[i], phaseColours[p]]).filter((_, i) => used[i] && counted(i))));
      perGroup(bars, indices => {
        group('Mean, ms', rows(false, indices));
        group('By percentile of response time, ms', rows(true, indices));
      });
    };
    box.addEventListener('change', show);
    show();
    s.append(element('p', {class: 'hint'}, 'Point at a part for its share; click a bar to stretch it over the whole width, and again to return. Link time under mechanical work is in no phase; summary.json gives it as link_overlapped_ms.'));
  }
  function niceStep(rough) {
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    return [1, 2, 5, 10].map(m => m * power).find(v => v >= rough);
  }

  // ---- report_overview.js: load over time, histograms
  window.armatureLoad(tools);
  window.armatureFaults(tools);

  // ---- report_medium.js
  window.armatureMedium(tools);

  function plain(v) { return Number(v.toPrecision(8)).toLocaleString('en-US', {maximumFractionDigits: 9}); }

  // ---- depth
  {
    const s = section('Requests in the system',
      'The number of requests between arrival and completion: its time average in each interval (line), lowest and highest (band).');
    const highest = Math.max(...data.drives.flatMap(d => d.depth.rows.map(r => r[3])), 1);
    perDrive(s, (cell, drive, index) => {
      if (!drive.depth.rows.length) { cell.append(element('p', {}, 'Nothing was simulated.')); return; }
      const chart = element('div', {class: 'chart'});
      cell.append(chart);
      draw(chart, steps(drive.depth.rows.map(([t, min, mean, max]) => [t, [min, mean, max]]), drive.depth.interval_s), Object.assign({}, common, {
        labels: ['s', 'requests'], customBars: true, stepPlot: true, colors: [driveColours[index % driveColours.length]], strokeWidth: 1.4, fillAlpha: 0.18,
        xlabel: 'time, s', ylabel: 'requests', valueRange: [0, highest * 1.08], dateWindow: [0, endOf(index)],
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelFormatter: plain, valueFormatter: v => number(v)}}
      }));
    });
  }

  // ---- report_rebuild.js
  window.armatureRebuild(tools);

  // ---- report_jobs.js
  window.armatureJobs(tools);

  // ---- energy: report_energy.js
  window.armatureEnergy(tools);

  // ---- hits
  {
    const s = section('Served by medium or buffer',
      'What reads and writes were answered from. Hits are those that the buffer answered at once or as soon as data came that were already on their way. ' +
      'Failed requests and flushes do not count.');
    const tones = [phaseColours.seek, '#3f9e68', phaseColours.buffer_fill, phaseColours.write_back];
    const words = {medium: 'medium', buffer: 'buffer at once', buffer_fill: 'buffer, after data already on their way', write_back: 'buffer, after a write-back'};
    perDrive(s, (cell, drive, index) => {
      const kinds = drive.service.kinds, sum = counts => counts.reduce((a, b) => a + b, 0);
      if (sum(drive.service.reads) + sum(drive.service.writes) === 0) { cell.append(element('p', {}, 'No read and no write completed.')); return; }
      const hits = counts => counts.reduce((a, n, i) => a + (drive.service.hits[i] ? n : 0), 0);
      cell.append(legend(kinds.map((k, i) => [words[k] || k, tones[i % tones.length]])));
      const bars = element('div', {class: 'bars hits'});
      cell.append(bars);
      for (const [name, counts] of [['reads', drive.service.reads], ['writes', drive.service.writes]]) {
        const all = sum(counts);
        if (!all) continue;
        const bar = element('div', {class: 'bar'});
        counts.forEach((count, i) => {
          if (count) bar.append(element('i', {style: 'width:' + 100 * count / all + '%;background:' + tones[i % tones.length],
            title: (words[kinds[i]] || kinds[i]) + ': ' + whole(count) + ' (' + number(100 * count / all, 1) + ' %)'}));
        });
        bars.append(element('div', {class: 'name'}, name), bar, element('div', {class: 'value'}, number(100 * hits(counts) / all, 1) + ' % hits'));
      }
      if (hits(drive.service.reads) + hits(drive.service.writes) === 0) {
        cell.append(element('p', {class: 'hint'}, 'There was no hit.'));
        return;
      }
      const chart = element('div', {class: 'chart'});
      cell.append(legend([['reads', readColour, 'rule'], ['writes', writeColour, 'rule']]), chart);
      const share = counts => sum(counts) ? 100 * hits(counts) / sum(counts) : NaN;
      draw(chart, steps(drive.service.rows.map(([t, reads, writes]) => [t, share(reads), share(writes)]), drive.service.interval_s), Object.assign({}, common, {
        labels: ['s', 'reads', 'writes'], colors: [readColour, writeColour], strokeWidth: 1.4, stepPlot: true, xlabel: 'time, s', ylabel: 'hit share, %', valueRange: [0, 104], dateWindow: [0, endOf(index)],
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelFormatter: v => v + ' %', valueFormatter: v => v === null ? '' : number(v, 1) + ' %'}}
      }));
    });
  }

  window.armatureHeat(tools);

  // ---- utilisation
  if (summary.utilisation.length) {
    const s = section('Utilisation', 'Share of the simulated time that each component spent in each of its states.');
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, element('th', {class: 'left'}, 'component'), element('th', {class: 'left'}, 'states'),
      element('th', {class: 'left'}, ''))));
    const body = element('tbody', {});
    // A state has its colour in each component: rest is grey, work blue, and an arm's seek, wait and transfer as everywhere.
    const work = '#2f7fe0', tones = {
      idle: 'var(--rest)', hold: 'var(--rest)', stopped: 'var(--rest)', parked: '#97a2b0', standby: '#d8cdb0', sleep: '#b5a98a', off: '#7d8998', busy: work,
      active: work, at_speed: work, seek: phaseColours.seek, wait: phaseColours.rotation, transfer: phaseColours.transfer, spin_up: '#b08a20', spin_down: '#8a6d1f',
      failed: '#b3261e'
    };
    const tone = state => tones[state] || '#3f9e68';
    for (const component of summary.utilisation) {
      const bar = element('div', {class: 'bar mini'});
      const words = Object.entries(component.states).map(([state, value]) => {
        bar.append(element('i', {style: 'width:' + 100 * value.share + '%;background:' + tone(state), title: state}));
        const part = element('span', {style: 'margin-right:18px'}, element('i', {style: 'display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px;background:' + tone(state)}),
          state + ' ' + number(100 * value.share, 2) + ' %');
        return part;
      });
      body.append(element('tr', {}, element('td', {class: 'left'}, component.component), element('td', {class: 'left'}, bar),
        element('td', {class: 'left'}, ...words)));
    }
    table.append(body);
    s.append(element('div', {class: 'scroll'}, table));
  }

  // ---- report_requests.js
  window.armatureRequests(tools);

  // ---- configuration
  if (data.configuration) {
    const s = section('Configuration', 'The resolved configuration: with it the run can be repeated.');
    s.append(element('details', {}, element('summary', {}, 'Show'), element('pre', {}, data.configuration)));
  }
  report.append(element('footer', {}, 'Armature ' + summary.program_version + '. Figures and their definitions: summary.json; one row a request: requests.csv. Charts: dygraphs (MIT licence, in the source of this page).'));
})();
