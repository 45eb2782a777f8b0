// Draws the report from the data embedded in the page. Charts by dygraphs; the rest is HTML.
(function () {
  'use strict';
  const data = JSON.parse(document.getElementById('data').textContent);
  const summary = data.summary;
  const report = document.getElementById('report');
  report.textContent = '';

  const accent = '#0b63ce', line = '#dfe4ea';
  // Drives: the accent first, then tones that stay apart in grey too.
  const driveColours = ['#0b63ce', '#d9622b', '#2b8a57', '#7a4fb5', '#8a6d1f', '#3c4654', '#c03a72', '#148a9c'];
  // Waiting is grey, electronics is sand, mechanics is blue, the link is green.
  const phaseColours = {
    host_queue: '#c3cad3', link_command: '#bfe3cd', firmware: '#f2c879', drive_queue: '#97a2b0', arbitration: '#d99a2b',
    seek: '#0b3f86', write_settle: '#6a4fa3', channel_wait: '#6f7b8a', rotation: '#2f7fe0', transfer: '#8fc1ff', buffer_fill: '#79c7c5', write_back: '#b08ad9', link_wait: '#8fd0a8',
    link_data: '#3f9e68', link_status: '#1f6b43'
  };
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
    const decimals = digits !== undefined ? digits
      : magnitude === 0 ? 0 : magnitude >= 1 ? 2 : magnitude >= 0.01 ? 4 : 6;
    return value.toLocaleString('en-US', {minimumFractionDigits: decimals, maximumFractionDigits: decimals});
  }
  const whole = value => value.toLocaleString('en-US', {maximumFractionDigits: 0});
  function section(title, say) {
    const s = element('section', {}, element('h2', {}, title), element('p', {class: 'say'}, say));
    report.append(s);
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
  function perDrive(parent, fill) {
    const columns = element('div', {class: 'columns'});
    parent.append(columns);
    data.drives.forEach((drive, index) => {
      const cell = element('div', {});
      columns.append(cell);
      if (several) cell.append(element('h3', {}, drive.title));
      fill(cell, drive, index);
    });
  }
  const common = {
    axisLineColor: '#9aa5b1', gridLineColor: line, axisLabelFontSize: 12, rightGap: 16, legend: 'onmouseover',
    highlightCircleSize: 4, xLabelHeight: 20, yLabelWidth: 20
  };

  // Charts by their place in the page, for whoever wants to ask one.
  const charts = window.armatureCharts = [];
  function draw(place, rows, options) { charts.push(new Dygraph(place, rows, options)); }

  // ---- head
  const run = summary.run;
  const head = element('header', {},
    element('div', {class: 'kicker'}, 'Armature simulation report'),
    element('h1', {}, summary.scenario),
    element('p', {}, data.drives.map(d => d.title).join('  ·  ')));
  if (!summary.complete) head.append(element('span', {class: 'warning'}, 'Partial result: ' + summary.reason));
  for (const label of summary.labels) head.append(element('span', {class: 'label'}, label));
  report.append(head);
  const tiles = element('div', {class: 'tiles'});
  const tile = (value, what) => tiles.append(element('div', {class: 'tile'}, element('b', {}, value), element('span', {}, what)));
  tile(whole(run.completed), 'requests completed');
  tile(number(run.simulated_s, 3) + ' s', 'simulated');
  if (!several && summary.drives[0] && summary.drives[0].response.all.count) {
    const all = summary.drives[0].response.all;
    tile(number(all.mean_ms) + ' ms', 'mean response');
    tile(number(all.p99_ms) + ' ms', '99 % answered within');
  }
  const energy = !several && summary.drives[0] && summary.drives[0].energy;
  if (energy) tile(number(energy.average_w) + ' W', 'average power');
  if (energy && energy.energy_per_request_j !== undefined) {
    tile(number(energy.energy_per_request_j, 3) + ' J', 'energy a request');
    tile(number(energy.energy_delay_js) + ' J s', 'energy x response time');
  }
  tile(number(run.wall_s) + ' s', 'wall time');
  tile(whole(run.requests_per_wall_s), 'requests per wall second');
  report.append(tiles);

  // ---- figures
  {
    const s = section('Response time and load',
      'Response time is from the arrival at the host queue to the completion at the host. Times in milliseconds.');
    const table = element('table', {});
    const names = ['drive', 'requests', 'count', 'failed', 'mean', 'median', '90 %', '95 %', '99 %', '99.9 %', 'longest'];
    table.append(element('thead', {}, element('tr', {}, ...names.map((n, i) => element('th', i < 2 ? {class: 'left'} : {}, n)))));
    const body = element('tbody', {});
    table.append(body);
    summary.drives.forEach((drive, index) => {
      for (const kind of ['all', 'read', 'write', 'flush']) {
        const r = drive.response[kind];
        if (!r.count || (kind !== 'all' && r.count === drive.response.all.count && kind === 'flush')) continue;
        const cells = [kind === 'all' ? data.drives[index].title : '', {all: 'all', read: 'reads', write: 'writes', flush: 'flushes'}[kind],
          whole(r.count), whole(r.failed), ...['mean_ms', 'p50_ms', 'p90_ms', 'p95_ms', 'p99_ms', 'p99_9_ms', 'max_ms'].map(k => number(r[k]))];
        body.append(element('tr', {}, ...cells.map((c, i) => element('td', i < 2 ? {class: 'left'} : {}, c))));
      }
    });
    s.append(element('div', {class: 'scroll'}, table));
    const load = element('table', {});
    const heads = ['drive', 'requests/s', 'MB/s', 'mean number in the system', 'maximum in the system', 'mean positioning, ms',
      'mean move, cylinders', 'missed revolutions', 'unfinished', 'dropped'];
    load.append(element('thead', {}, element('tr', {}, ...heads.map(n => element('th', {}, n)))));
    load.append(element('tbody', {}, ...summary.drives.map((d, i) => element('tr', {},
      ...[data.drives[i].title, number(d.requests_per_s), number(d.megabytes_per_s), number(d.queue.mean_depth), whole(d.queue.max_depth),
        number(d.positioning.mean_positioning_ms), number(d.positioning.mean_seek_cylinders, 1),
        whole(d.positioning.missed_revolutions), whole(d.unfinished), whole(d.dropped)].map(c => element('td', {}, c))))));
    s.append(element('h3', {}, 'Load and mechanics'), element('div', {class: 'scroll'}, load));
  }

  // ---- distribution
  {
    const s = section('Distribution of response times',
      'The share of requests answered within a time: how often, not only how long on average. Drag to zoom, double-click to return.');
    const labels = ['ms'], series = {}, columns = [], entries = [];
    data.drives.forEach((drive, index) => {
      for (const kind of ['read', 'write']) {
        if (!drive.cdf[kind].length) continue;
        const name = (several ? drive.title + ', ' : '') + kind + 's';
        const colour = several ? driveColours[index % driveColours.length] : kind === 'read' ? accent : '#d9622b';
        labels.push(name);
        columns.push(drive.cdf[kind]);
        const dashed = several && kind === 'write';
        series[name] = {color: colour, strokeWidth: 2, strokePattern: dashed ? [6, 4] : null};
        entries.push([name, colour, dashed ? 'rule dashed' : 'rule']);
      }
    });
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
    } else {
      s.append(element('p', {}, 'No reads and no writes completed.'));
    }
  }
  // 1, 2, 5 in each decade.
  function logTicks(from, to) {
    const ticks = [];
    const decades = Math.log10(to / from);
    const steps = decades > 4 ? [1] : [1, 2, 5];
    for (let exponent = Math.floor(Math.log10(from)); Math.pow(10, exponent) <= to; ++exponent) {
      for (const step of steps) {
        const v = step * Math.pow(10, exponent);
        if (v >= from && v <= to) ticks.push({v, label: String(Number(v.toPrecision(6)))});
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
    perDrive(s, (cell, drive) => {
      if (!drive.measured.length) { cell.append(element('p', {}, 'No request had a measured time.')); return; }
      const chart = element('div', {class: 'chart tall'});
      cell.append(legend([['measured', '#3c4654', 'rule dashed'], ['simulated', accent, 'rule']]), chart);
      const rows = new Map();
      drive.measured.forEach(([m, simulated, fraction]) => [m, simulated].forEach((ms, column) => {
        const x = Math.max(ms, 1e-6);
        if (!rows.has(x)) rows.set(x, [null, null]);
        rows.get(x)[column] = fraction * 100;
      }));
      const list = [...rows.entries()].sort((a, b) => a[0] - b[0]).map(([x, values]) => [x, ...values]);
      draw(chart, list, Object.assign({}, common, {
        labels: ['ms', 'measured', 'simulated'], connectSeparatedPoints: true,
        series: {measured: {color: '#3c4654', strokeWidth: 2, strokePattern: [6, 4]}, simulated: {color: accent, strokeWidth: 2}},
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
    s.append(legend(data.phases.map((p, i) => [phaseNames[i], phaseColours[p]]).filter((_, i) => used[i])));
    // The bands of slow requests would dwarf the means: two groups, each with its own axis.
    const bars = element('div', {});
    s.append(bars);
    const total = row => row.parts.reduce((a, b) => a + b, 0);
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
            if (part <= 0) return;
            bar.append(element('i', {style: 'flex:none;width:' + (100 * part / longest) + '%;background:' + phaseColours[data.phases[i]],
              title: phaseNames[i] + ': ' + number(part) + ' ms (' + number(100 * part / total(row), 1) + ' %)'}));
          });
          bar.addEventListener('click', () => show(zoomed === entry ? null : entry));
          place.append(element('div', {class: 'name'}, several ? row.label + ', ' + drive.title : row.label), bar,
            element('div', {class: 'value'}, number(total(row)) + ' ms'));
        }
        const axis = element('div', {class: 'axis'});
        const step = niceStep(longest / 6);
        for (let v = 0; v <= longest * 1.0001; v += step) {
          axis.append(element('span', {style: 'left:' + (100 * v / longest) + '%'}, String(Number(v.toPrecision(6))) + (v === 0 ? ' ms' : '')));
        }
        place.append(element('div', {}), axis, element('div', {}));
      };
      show(null);
    };
    const isBand = row => !['all requests', 'reads', 'writes'].includes(row.label);
    // Drives stand next to each other in each row of the comparison.
    const labels = [...new Set(data.drives.flatMap(d => d.breakdown.map(r => r.label)))];
    const rows = band => labels.flatMap(label => data.drives.flatMap(drive =>
      drive.breakdown.filter(r => r.label === label && isBand(r) === band).map(row => ({row, drive}))));
    group('Mean', rows(false));
    group('By percentile of response time', rows(true));
    s.append(element('p', {class: 'hint'}, 'Point at a part for its share; click a bar to stretch it over the whole width, and again to return. Link time under mechanical work is in no phase; summary.json gives it as link_overlapped_ms.'));
  }
  function niceStep(rough) {
    const power = Math.pow(10, Math.floor(Math.log10(rough)));
    return [1, 2, 5, 10].map(m => m * power).find(v => v >= rough);
  }

  // ---- arm position
  const readColour = accent, writeColour = '#d9622b';
  {
    const s = section('Arm position',
      'Where the arms were: every access of the beginning of the run as a path with its requests, and a sample of the whole run as points.');
    perDrive(s, (cell, drive) => {
      const arm = drive.arm;
      if (!arm.requests.length) { cell.append(element('p', {}, 'No request used the medium.')); return; }
      const arms = arm.paths.length;
      const pathNames = arm.paths.map((_, i) => arms > 1 ? 'arm ' + i : 'arm');
      cell.append(element('h3', {}, 'The first ' + whole(arm.requests.length) + ' accesses'),
        legend([...pathNames.map((n, i) => [n, arms > 1 ? armColour(i) : '#7d8998', 'rule']),
          ['read', readColour, 'dot'], ['write', writeColour, 'dot']]));
      const chart = element('div', {class: 'chart'});
      cell.append(chart);
      const rows = [];
      const width = arms + 2;
      const row = (t, column, value) => { const r = new Array(width).fill(null); r[column] = value; rows.push([t, ...r]); };
      arm.paths.forEach((path, i) => path.forEach(([t, c]) => row(t, i, c)));
      const ids = new Map();
      arm.requests.forEach(([t, c, op, id]) => { row(t, arms + (op === 1 ? 1 : 0), c); ids.set(t, id); });
      rows.sort((a, b) => a[0] - b[0]);
      const series = {};
      pathNames.forEach((n, i) => { series[n] = {color: arms > 1 ? armColour(i) : '#9aa5b1', strokeWidth: 1.2, drawPoints: false}; });
      series.read = {color: readColour, strokeWidth: 0, drawPoints: true, pointSize: 2.5};
      series.write = {color: writeColour, strokeWidth: 0, drawPoints: true, pointSize: 2.5};
      const last = arm.requests.reduce((m, r) => Math.max(m, r[0]), 0);
      // All cylinders, unless the requests keep to a small part of them: then that part.
      const used = [...arm.requests, ...arm.sample].map(r => r[1]).concat(arm.paths.flat().map(p => p[1]));
      let low = used.reduce((a, b) => Math.min(a, b)), top = used.reduce((a, b) => Math.max(a, b));
      if (arm.cylinders && top - low > 0.3 * arm.cylinders) { low = 0; top = arm.cylinders; }
      const margin = Math.max(0.03 * (top - low), 1);
      const range = [low - margin, top + margin];
      const axis = arm.cylinders ? 'cylinder (of ' + whole(arm.cylinders) + ')' : 'cylinder';
      // The picture opens on the first accesses, the range below reaches to the last.
      const shown = [...arm.requests].sort((a, b) => a[0] - b[0])[Math.min(60, arm.requests.length - 1)][0];
      draw(chart, rows, Object.assign({}, common, {
        labels: ['ms', ...pathNames, 'read', 'write'], series, connectSeparatedPoints: true,
        xlabel: 'time, ms', ylabel: axis, valueRange: range, dateWindow: [rows[0][0], shown * 1.02 + 1e-6],
        interactionModel: Dygraph.defaultInteractionModel,  // a drag zooms as in the others; the range below moves
        showRangeSelector: true, rangeSelectorHeight: 28, rangeSelectorPlotFillColor: '#d6e4f7', rangeSelectorPlotStrokeColor: '#9bbde8',
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t, 3) + ' ms' + (ids.has(t) ? ', request ' + ids.get(t) : '')},
               y: {axisLabelWidth: 62, axisLabelFormatter: whole, valueFormatter: v => v === null ? '' : whole(v)}}
      }));
      cell.append(element('h3', {}, 'The whole run: ' + (arm.sample.length === arm.sampled_from ? 'all ' : whole(arm.sample.length) + ' of ') +
        whole(arm.sampled_from) + ' requests' + (arms > 1 ? ', in the colours of their arms' : '')));
      const scatter = element('div', {class: 'chart'});
      cell.append(scatter);
      // By arm where there are several, otherwise by operation.
      const kinds = arms > 1 ? Array.from({length: arm.sample.reduce((m, p) => Math.max(m, p[3] + 1), arms)}, (_, i) => 'arm ' + i) : ['read', 'write'];
      const points = arm.sample.map(([t, c, op, n]) => [t, ...kinds.map((_, i) => i === (arms > 1 ? n : op === 1 ? 1 : 0) ? c : null)]);
      draw(scatter, points, Object.assign({}, common, {
        labels: ['s', ...kinds], colors: arms > 1 ? kinds.map((_, i) => armColour(i)) : [readColour, writeColour], strokeWidth: 0, drawPoints: true, pointSize: 1.6,
        xlabel: 'time, s', ylabel: axis, valueRange: range,
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelWidth: 62, axisLabelFormatter: whole, valueFormatter: v => v === null ? '' : whole(v)}}
      }));
    });
  }
  // ---- arms
  const ofDrive = index => summary.drives[index];
  if (summary.drives.some(d => d.arms)) {
    const s = section('Arms', 'What each arm did for the host\'s requests, and where it stands around its stack of disks, seen from above; the disks turn ' +
      'counter-clockwise. A ring shows the shares of the arm\'s time, its head is at the mean cylinder of its requests. A request that several arms served counts as its first one\'s, its time as that of the arm that worked; reading ahead, de-staging and other work of the drive\'s own is not in it.');
    const parts = [['seek', 'seek_s', phaseColours.seek], ['wait for a sector', 'wait_s', phaseColours.rotation], ['transfer', 'transfer_s', phaseColours.transfer]];
    perDrive(s, (cell, drive, index) => {
      const arms = ofDrive(index).arms;
      if (!arms) { cell.append(element('p', {}, 'It has one arm.')); return; }
      const shares = arm => parts.map(([, key]) => ofDrive(index).end_s > 0 ? arm[key] / ofDrive(index).end_s : 0);
      cell.append(legend([...parts.map(([name, , colour]) => [name, colour]), ['idle', '#e3e7ec'], ...(arms.some(a => 'failed_at_s' in a) ? [['failed', '#b3261e', 'rule']] : [])]));
      const place = element('div', {class: 'arms'});
      cell.append(place);
      const stacks = [...new Set(drive.arm_places.map(p => p[0]))];
      if (stacks.length) {
        const picture = element('div', {class: 'stacks'});
        place.append(picture);
        for (const stack of stacks) picture.append(stackPicture(drive, arms, stack, stacks.length > 1, shares, parts));
      }
      const failures = arms.some(a => 'failed_at_s' in a || 'head_failures' in a);
      const names = ['arm', 'requests', 'seek, %', 'wait, %', 'transfer, %', 'idle, %', '', 'utilisation, %', 'mean wait, ms', 'mean seek, cylinders', ...(failures ? ['failed'] : [])];
      const left = i => i === 6 || i === 10;
      const table = element('table', {});
      table.append(element('thead', {}, element('tr', {}, ...names.map((n, i) => element('th', left(i) ? {class: 'left'} : {}, n)))));
      table.append(element('tbody', {}, ...arms.map(arm => {
        const of = shares(arm), bar = element('div', {class: 'bar mini'});
        of.forEach((share, i) => { if (share > 0) bar.append(element('i', {style: 'width:' + 100 * share + '%;background:' + parts[i][2], title: parts[i][0]})); });
        const failed = [...('failed_at_s' in arm ? ['at ' + number(arm.failed_at_s, 3) + ' s'] : []), ...('head_failures' in arm ? [whole(arm.head_failures) + (arm.head_failures === 1 ? ' head' : ' heads')] : [])].join(', ');
        const name = element('span', {}, element('i', {class: 'mark', style: 'background:' + armColour(arm.arm)}), String(arm.arm));
        const cells = [name, whole(arm.requests), ...of.map(v => number(100 * v, 1)), number(100 * Math.max(0, 1 - arm.utilisation), 1), bar, number(100 * arm.utilisation, 1),
          arm.requests ? number(arm.mean_wait_ms) : '', arm.requests ? number(arm.mean_seek_cylinders, 1) : '', ...(failures ? [failed] : [])];
        return element('tr', {}, ...cells.map((c, i) => element('td', left(i) ? {class: 'left'} : {}, c)));
      })));
      place.append(element('div', {class: 'scroll'}, table));
    });
  }
  // A stack of disks from above, with its arms: pivot, lever and head, a ring of shares around the pivot.
  function stackPicture(drive, arms, stack, named, shares, parts) {
    const svg = (tag, attributes, ...children) => {
      const e = document.createElementNS('http://www.w3.org/2000/svg', tag);
      for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
      e.append(...children);
      return e;
    };
    const centre = 130, rim = 74, hub = 22, far = 100, ring = 15;
    const at = (radius, revolutions) => [centre + radius * Math.cos(2 * Math.PI * revolutions), centre - radius * Math.sin(2 * Math.PI * revolutions)];
    const s = svg('svg', {viewBox: '0 0 260 260', class: 'stack', role: 'img', 'aria-label': 'stack ' + stack + ' and its arms'});
    s.append(svg('circle', {cx: centre, cy: centre, r: rim, fill: '#eef2f6', stroke: '#c3cad3'}), svg('circle', {cx: centre, cy: centre, r: hub, fill: '#fff', stroke: '#c3cad3'}));
    const [ax, ay] = at(hub - 8, 0.62), [bx, by] = at(hub - 8, 0.12), tip = [bx - 1, by + 1];
    s.append(svg('path', {d: 'M' + ax + ' ' + ay + ' A' + (hub - 8) + ' ' + (hub - 8) + ' 0 0 0 ' + bx + ' ' + by, fill: 'none', stroke: '#97a2b0', 'stroke-width': 1.5}),
      svg('path', {d: 'M' + (tip[0] + 5) + ' ' + (tip[1] + 4) + ' L' + tip[0] + ' ' + tip[1] + ' L' + (tip[0] - 1) + ' ' + (tip[1] + 7), fill: 'none', stroke: '#97a2b0', 'stroke-width': 1.5}));
    const here = arms.filter((_, i) => drive.arm_places[i][0] === stack);
    for (const arm of here) {
      // Parts of an assembly, and heads at one place, stand beside each other.
      const same = here.filter(other => drive.arm_places[other.arm][1] === drive.arm_places[arm.arm][1]);
      const beside = (same.indexOf(arm) - (same.length - 1) / 2) * 0.105;
      const angle = drive.arm_places[arm.arm][1];
      const cylinders = drive.arm.sample.filter(p => p[3] === arm.arm).map(p => p[1]);
      const part = cylinders.length && drive.arm.cylinders ? cylinders.reduce((a, b) => a + b, 0) / cylinders.length / drive.arm.cylinders : 0;
      const [hx, hy] = at(rim - 5 - part * (rim - hub - 12), angle + beside * 0.4);
      const [px, py] = at(far, angle + 0.11 + beside);
      const failed = 'failed_at_s' in arm, colour = failed ? '#b3261e' : armColour(arm.arm);
      s.append(svg('line', Object.assign({x1: px, y1: py, x2: hx, y2: hy, stroke: colour, 'stroke-width': 4, 'stroke-linecap': 'round'}, failed ? {'stroke-dasharray': '3 6'} : {})),
        svg('circle', {cx: hx, cy: hy, r: 4, fill: colour}), svg('circle', {cx: px, cy: py, r: ring, fill: '#fff', stroke: '#e3e7ec', 'stroke-width': 6}));
      const length = 2 * Math.PI * ring;
      let before = 0;
      shares(arm).forEach((share, i) => {
        if (share <= 0) return;
        s.append(svg('circle', {cx: px, cy: py, r: ring, fill: 'none', stroke: parts[i][2], 'stroke-width': 6, 'stroke-dasharray': share * length + ' ' + length,
          'stroke-dashoffset': -before * length, transform: 'rotate(-90 ' + px + ' ' + py + ')'}));
        before += share;
      });
      s.append(svg('text', {x: px, y: py + 4.5, 'text-anchor': 'middle', 'font-size': 13, 'font-weight': 600, fill: colour}, String(arm.arm)),
        svg('title', {}, 'arm ' + arm.arm));
    }
    if (named) s.append(svg('text', {x: centre, y: centre + 4.5, 'text-anchor': 'middle', 'font-size': 12, fill: '#5b6675'}, String(stack)));
    return s;
  }
  function plain(v) { return Number(v.toPrecision(8)).toLocaleString('en-US', {maximumFractionDigits: 9}); }

  // ---- depth
  {
    const s = section('Requests in the system',
      'The number of requests between arrival and completion: its time average in each interval (line), lowest and highest (band).');
    perDrive(s, (cell, drive) => {
      if (!drive.depth.rows.length) { cell.append(element('p', {}, 'Nothing was simulated.')); return; }
      const chart = element('div', {class: 'chart'});
      cell.append(chart);
      const highest = Math.max(...drive.depth.rows.map(r => r[3]), 1);
      draw(chart, drive.depth.rows.map(([t, min, mean, max]) => [t, [min, mean, max]]), Object.assign({}, common, {
        labels: ['s', 'requests'], customBars: true, colors: [accent], strokeWidth: 1.4, fillAlpha: 0.18,
        xlabel: 'time, s', ylabel: 'requests', valueRange: [0, highest * 1.08],
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelFormatter: plain, valueFormatter: v => number(v)}}
      }));
    });
  }

  // ---- energy: report_energy.js
  window.armatureEnergy({data, summary, element, number, section, legend, perDrive, common, draw, niceStep, plain});

  // ---- hits
  {
    const s = section('Served by medium or buffer',
      'What reads and writes were answered from. Hits are those that the buffer answered at once or as soon as data came that were already on their way. ' +
      'Failed requests and flushes do not count.');
    const tones = ['#0b3f86', '#3f9e68', '#9ad3b0', '#f2c879'];
    const words = {medium: 'medium', buffer: 'buffer at once', buffer_fill: 'buffer, after data already on their way', write_back: 'buffer, after a write-back'};
    perDrive(s, (cell, drive) => {
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
      const share = counts => sum(counts) ? 100 * hits(counts) / sum(counts) : null;
      draw(chart, drive.service.rows.map(([t, reads, writes]) => [t, share(reads), share(writes)]), Object.assign({}, common, {
        labels: ['s', 'reads', 'writes'], colors: [readColour, writeColour], strokeWidth: 1.4, connectSeparatedPoints: true,
        drawPoints: drive.service.rows.length < 80, pointSize: 2, xlabel: 'time, s', ylabel: 'hit share, %', valueRange: [0, 104],
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelFormatter: v => v + ' %', valueFormatter: v => v === null ? '' : number(v, 1) + ' %'}}
      }));
    });
  }

  // ---- heat
  {
    const s = section('Heat of the medium',
      'Where on the disk the accesses of requests went and how long the arm and the head were busy there, from the outermost cylinders (top) to the innermost. ' +
      'What the drive does on its own (read-ahead, de-staging) is not in it.');
    const parts = [['positioning', phaseColours.seek], ['rotation', phaseColours.rotation], ['transfer', phaseColours.transfer]];
    perDrive(s, (cell, drive) => {
      const rows = drive.heat.rows, count = r => r[3] + r[4], busy = r => r[5] + r[6] + r[7];
      const all = rows.reduce((a, r) => a + count(r), 0);
      if (!all) { cell.append(element('p', {}, 'No request used the medium.')); return; }
      const keys = element('div', {class: 'columns keys'});
      for (const [what, entries] of [['Accesses:', [['reads', readColour], ['writes', writeColour]]], ['Busy:', parts]]) {
        const key = legend(entries);
        key.prepend(element('em', {}, what));
        keys.append(key);
      }
      cell.append(keys);
      const most = Math.max(...rows.map(count)), longest = Math.max(...rows.map(busy), 1e-12);
      const table = element('table', {class: 'heat'});
      table.append(element('thead', {}, element('tr', {}, ...[drive.heat.by_zone ? 'zone' : 'band', 'cylinders', 'accesses', '', 'busy,\u00a0s', ''].map((n, i) =>
        element('th', {class: i === 3 || i === 5 ? 'left wide' : ''}, n)))));
      const body = element('tbody', {});
      rows.forEach((r, i) => {
        const counts = element('div', {class: 'bar mini', title: whole(r[3]) + ' reads, ' + whole(r[4]) + ' writes, ' + number(100 * count(r) / all, 1) + ' % of all'});
        [[r[3], readColour], [r[4], writeColour]].forEach(([n, colour]) => {
          if (n) counts.append(element('i', {style: 'width:' + 100 * n / most + '%;background:' + colour}));
        });
        const times = element('div', {class: 'bar mini'});
        parts.forEach(([name, colour], k) => {
          if (r[5 + k] > 0) times.append(element('i', {style: 'width:' + 100 * r[5 + k] / longest + '%;background:' + colour, title: name + ': ' + number(r[5 + k]) + ' s'}));
        });
        const title = r[2] ? whole(r[2]) + ' sectors a track' : '';
        body.append(element('tr', {title}, element('td', {}, String(i)), element('td', {}, whole(r[0]) + ' \u2013 ' + whole(r[1])), element('td', {}, count(r) ? whole(count(r)) : ''),
          element('td', {class: 'left'}, counts), element('td', {}, count(r) ? number(busy(r), 3) : ''), element('td', {class: 'left'}, times)));
      });
      table.append(body);
      cell.append(element('div', {class: 'scroll'}, table));
    });
  }

  // ---- utilisation
  if (summary.utilisation.length) {
    const s = section('Utilisation', 'Share of the simulated time that each component spent in each of its states.');
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, element('th', {class: 'left'}, 'component'), element('th', {class: 'left'}, 'states'),
      element('th', {class: 'left'}, ''))));
    const body = element('tbody', {});
    const tones = ['#e3e7ec', '#0b63ce', '#8fc1ff', '#f2c879', '#3f9e68'];
    for (const component of summary.utilisation) {
      const bar = element('div', {class: 'bar mini'});
      const words = Object.entries(component.states).map(([state, value], i) => {
        bar.append(element('i', {style: 'width:' + 100 * value.share + '%;background:' + tones[i % tones.length], title: state}));
        const part = element('span', {style: 'margin-right:18px'}, element('i', {style: 'display:inline-block;width:10px;height:10px;border-radius:2px;margin-right:6px;background:' + tones[i % tones.length]}),
          state + ' ' + number(100 * value.share, 2) + ' %');
        return part;
      });
      body.append(element('tr', {}, element('td', {class: 'left'}, component.component), element('td', {class: 'left'}, bar),
        element('td', {class: 'left'}, ...words)));
    }
    table.append(body);
    s.append(element('div', {class: 'scroll'}, table));
  }

  // ---- slowest
  {
    const s = section('Slowest requests', 'The requests with the longest response times, and where each of them spent its time. A request\'s number opens its life.');
    for (const drive of data.drives) {
      if (!drive.slowest.length) continue;
      if (several) s.append(element('h3', {}, drive.title));
      const table = element('table', {});
      table.append(element('thead', {}, element('tr', {}, ...['request', 'operation', 'LBN', 'sectors', 'arrival, s', 'response, ms', 'where the time went',
        'mostly', 'missed turns', 'status'].map((n, i) => element('th', [1, 6, 7, 8, 9].includes(i) ? {class: 'left'} : {}, n)))));
      const body = element('tbody', {});
      const longest = drive.slowest[0].response_ms;
      for (const r of drive.slowest) {
        const bar = element('div', {class: 'bar mini'});
        let most = 0;
        r.parts.forEach((part, i) => {
          if (part > r.parts[most]) most = i;
          if (part > 0) bar.append(element('i', {style: 'width:' + 100 * part / longest + '%;background:' + phaseColours[data.phases[i]], title: phaseNames[i] + ': ' + number(part) + ' ms'}));
        });
        const place = 'request-' + (several ? drive.name + '-' : '') + r.id;
        const cells = [element('a', {href: '#' + place}, String(r.id)), r.op, whole(r.lbn), whole(r.sectors), number(r.arrival_s, 6), number(r.response_ms), bar, phaseNames[most],
          r.missed ? r.missed + ' (' + r.cause.replace(/_/g, ' ') + ')' : '', r.status];
        body.append(element('tr', {}, ...cells.map((c, i) => element('td', [1, 6, 7, 8, 9].includes(i) ? {class: 'left'} : {}, c))));
      }
      table.append(body);
      s.append(element('div', {class: 'scroll'}, table));
      for (const r of drive.slowest) s.append(life(drive, r));
    }
    const open = () => {
      const named = location.hash.length > 1 && document.getElementById(decodeURIComponent(location.hash.slice(1)));
      if (named && named.tagName === 'DETAILS') { named.open = true; named.scrollIntoView(); }
    };
    addEventListener('hashchange', open);
    open();
  }
  // What happened to a request, in order, and how to see it: what "armature explain" tells from the files of the run.
  function life(drive, r) {
    const place = 'request-' + (several ? drive.name + '-' : '') + r.id, which = several ? ' --drive ' + drive.name : '';
    const box = element('details', {id: place, class: 'life'}, element('summary', {},
      'Request ' + r.id + ': ' + r.op + ' of ' + whole(r.sectors) + ' sectors at LBN ' + whole(r.lbn) + ', ' + number(r.response_ms) + ' ms'));
    const seconds = t => t.toFixed(12).replace(/0+$/, '0');
    box.append(element('p', {}, 'From ' + seconds(r.from_s) + ' s to ' + seconds(r.to_s) + ' s: the time window in the waves.'));
    const table = element('table', {class: 'moments'});
    table.append(element('thead', {}, element('tr', {}, ...['after its arrival, ms', 'phase', 'lasts, ms', ''].map((n, i) => element('th', i === 1 || i === 3 ? {class: 'left'} : {}, n)))));
    table.append(element('tbody', {}, ...r.moments.map(([phase, begin, end, below]) => {
      const bar = element('div', {class: 'bar mini'});
      bar.append(element('i', {style: 'flex:none;width:' + 100 * begin / r.response_ms + '%'}),
        element('i', {style: 'flex:none;width:' + 100 * (end - begin) / r.response_ms + '%;min-width:1px;background:' + phaseColours[data.phases[phase]]}));
      return element('tr', {}, element('td', {}, number(begin, 6)), element('td', {class: 'left'}, phaseNames[phase] + (below ? ' (and the link worked for it)' : '')),
        element('td', {}, number(end - begin, 6)), element('td', {class: 'left'}, bar));
    })));
    box.append(table);
    if (r.all_moments > r.moments.length) box.append(element('p', {class: 'hint'}, whole(r.all_moments - r.moments.length) + ' more moments are in events.csv.'));
    if (!r.moments.length) box.append(element('p', {class: 'hint'}, 'The order of its phases was not kept (output.timelines).'));
    box.append(element('p', {class: 'hint'}, 'With its neighbours in the queue and its positioning, and the waveform around it, in the directory of this report:'),
      element('pre', {}, 'armature explain ' + r.id + ' --run .' + which + '\narmature run resolved.toml --out waves --around ' + r.id +
        (several ? ' --set output.around_drive=' + drive.name : '') + '\ngtkwave waves/waves.fst waves/waves.gtkw'));
    return box;
  }

  // ---- configuration
  if (data.configuration) {
    const s = section('Configuration', 'The resolved configuration: with it the run can be repeated.');
    s.append(element('details', {}, element('summary', {}, 'Show'), element('pre', {}, data.configuration)));
  }
  report.append(element('footer', {}, 'Armature ' + summary.program_version + '. Figures and their definitions: summary.json; one row a request: requests.csv. Charts: dygraphs (MIT licence, in the source of this page).'));
})();
