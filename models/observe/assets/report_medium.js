// The medium: where the arms were, what each did, and the heat of the disk. Called by report.js with its tools.
window.armatureMedium = function (tools) {
  'use strict';
  const {data, summary, element, number, whole, section, legend, perDrive, common, draw, plain, phaseColours, phaseNames, several, armColour, readColour, writeColour, endOf} = tools;
  // ---- arm position
  {
    const sleds = data.drives.some(d => d.sled), disks = data.drives.some(d => !d.sled);
    const s = section(disks ? 'Arm position' : 'Sled position in X',
      'Where the ' + (disks && sleds ? 'arms and sleds' : disks ? 'arms' : 'sleds') + ' were: every access of the beginning of the run as a path with its requests, and a sample of the whole run as points.');
    perDrive(s, (cell, drive, index) => {
      const arm = drive.arm;
      if (!arm.requests.length) { cell.append(element('p', {}, 'No request used the medium.')); return; }
      const arms = arm.paths.length;
      const mover = drive.sled ? 'sled' : 'arm';
      const pathNames = arm.paths.map((_, i) => arms > 1 ? mover + ' ' + i : mover);
      cell.append(element('h3', {}, 'The first ' + whole(arm.requests.length) + ' accesses'),
        legend([...pathNames.map((n, i) => [n, arms > 1 ? armColour(i) : '#7d8998', 'rule']),
          ['read', readColour, 'dot'], ['write', writeColour, 'dot']]));
      const chart = element('div', {class: 'chart'});
      cell.append(chart);
      const rows = [];
      const width = arms + 2;
      const row = (t, column, value) => { const r = new Array(width).fill(null); r[column] = value; rows.push([t, ...r]); };
      // Three points an access. One that begins elsewhere than the last ended: the arm had work of the drive's own, and its way is not known.
      arm.paths.forEach((path, i) => path.forEach(([t, c], k) => {
        if (k % 3 === 0 && k > 0 && path[k - 1][1] !== c) row((t + path[k - 1][0]) / 2, i, NaN);
        row(t, i, c);
      }));
      const ids = new Map();
      arm.requests.forEach(([t, c, op, id]) => { row(t, arms + (op === 1 ? 1 : 0), c); ids.set(t, id); });
      rows.sort((a, b) => a[0] - b[0]);
      const series = {};
      pathNames.forEach((n, i) => { series[n] = {color: arms > 1 ? armColour(i) : '#7d8998', strokeWidth: 1.2, drawPoints: false}; });
      series.read = {color: readColour, strokeWidth: 0, drawPoints: true, pointSize: 2.5};
      series.write = {color: writeColour, strokeWidth: 0, drawPoints: true, pointSize: 2.5};
      const last = arm.requests.reduce((m, r) => Math.max(m, r[0]), 0);
      // All cylinders of the largest drive, unless the requests keep to a small part of them: then that part.
      const used = data.drives.flatMap(d => [...d.arm.requests, ...d.arm.sample].map(r => r[1]).concat(d.arm.paths.flat().map(p => p[1])));
      const cylinders = Math.max(...data.drives.map(d => d.arm.cylinders || 0));
      let low = used.reduce((a, b) => Math.min(a, b)), top = used.reduce((a, b) => Math.max(a, b));
      if (cylinders && top - low > 0.3 * cylinders) { low = 0; top = cylinders; }
      const margin = Math.max(0.03 * (top - low), 1);
      const range = [low - margin, top + margin];
      const place = drive.sled ? 'X position' : 'cylinder';
      const axis = arm.cylinders ? place + ' (of ' + whole(arm.cylinders) + ')' : place;
      // The picture opens on the first accesses, the range below reaches to the last.
      const shown = [...arm.requests].sort((a, b) => a[0] - b[0])[Math.min(60, arm.requests.length - 1)][0];
      draw(chart, rows, Object.assign({}, common, {
        labels: ['ms', ...pathNames, 'read', 'write'], series, connectSeparatedPoints: true,
        xlabel: 'time, ms', ylabel: axis, valueRange: range, dateWindow: [rows[0][0], shown * 1.02 + 1e-6],
        interactionModel: Dygraph.defaultInteractionModel,  // a drag zooms as in the others; the range below moves
        showRangeSelector: true, rangeSelectorHeight: 28, rangeSelectorAlpha: 0.3, rangeSelectorPlotFillColor: 'rgba(47,127,224,0.25)', rangeSelectorPlotStrokeColor: '#7d8998',
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t, 3) + ' ms' + (ids.has(t) ? ', request ' + ids.get(t) : '')},
               y: {axisLabelWidth: 74, axisLabelFormatter: whole, valueFormatter: v => v === null ? '' : whole(v)}}
      }));
      cell.append(element('h3', {}, 'The whole run: ' + (arm.sample.length === arm.sampled_from ? 'all ' : whole(arm.sample.length) + ' of ') +
        whole(arm.sampled_from) + ' requests' + (arms > 1 ? ', in the colours of their ' + mover + 's' : '')));
      const scatter = element('div', {class: 'chart'});
      cell.append(scatter);
      // By arm where there are several, otherwise by operation.
      const kinds = arms > 1 ? Array.from({length: arm.sample.reduce((m, p) => Math.max(m, p[3] + 1), arms)}, (_, i) => mover + ' ' + i) : ['read', 'write'];
      const points = arm.sample.map(([t, c, op, n]) => [t, ...kinds.map((_, i) => i === (arms > 1 ? n : op === 1 ? 1 : 0) ? c : null)]);
      draw(scatter, points, Object.assign({}, common, {
        labels: ['s', ...kinds], colors: arms > 1 ? kinds.map((_, i) => armColour(i)) : [readColour, writeColour], strokeWidth: 0, drawPoints: true, pointSize: 1.6,
        xlabel: 'time, s', ylabel: axis, valueRange: range, dateWindow: [0, endOf(index)],
        axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
               y: {axisLabelWidth: 74, axisLabelFormatter: whole, valueFormatter: v => v === null ? '' : whole(v)}}
      }));
    });
  }
  // ---- arms
  const ofDrive = index => summary.drives[index];
  if (summary.drives.some(d => d.arms)) {
    const turning = summary.drives.some((d, i) => d.arms && !data.drives[i].sled);
    const s = section(turning ? 'Arms' : 'Sleds', !turning ? 'What each sled did for the host\'s requests; reading ahead, de-staging and other work of the drive\'s own is not in it.' :
      'What each arm did for the host\'s requests, and where it stands around its stack of disks, seen from above; the disks turn ' +
      'counter-clockwise. A ring shows the shares of the arm\'s time, its head is at the mean cylinder of its requests. A request that several arms served counts as its first one\'s, its time as that of the arm that worked; reading ahead, de-staging and other work of the drive\'s own is not in it.');
    const parts = [['seek', 'seek_s', phaseColours.seek], ['wait for a sector', 'wait_s', phaseColours.rotation], ['transfer', 'transfer_s', phaseColours.transfer]];
    perDrive(s, (cell, drive, index) => {
      const arms = ofDrive(index).arms;
      if (!arms) { cell.append(element('p', {}, drive.sled ? 'It has one sled.' : 'It has one arm.')); return; }
      const shares = arm => parts.map(([, key]) => ofDrive(index).end_s > 0 ? arm[key] / ofDrive(index).end_s : 0);
      cell.append(legend([...parts.map(([name, , colour]) => [name, colour]), ['idle', 'var(--rest)'], ...(arms.some(a => 'failed_at_s' in a) ? [['failed', '#b3261e', 'rule']] : [])]));
      const place = element('div', {class: 'arms'});
      cell.append(place);
      const stacks = [...new Set(drive.arm_places.map(p => p[0]))];
      if (stacks.length) {
        const picture = element('div', {class: 'stacks'});
        place.append(picture);
        for (const stack of stacks) picture.append(stackPicture(drive, arms, stack, stacks.length > 1, shares, parts));
      }
      const failures = arms.some(a => 'failed_at_s' in a || 'head_failures' in a);
      const names = [drive.sled ? 'sled' : 'arm', 'requests', 'seek, %', 'wait, %', 'transfer, %', 'idle, %', '', 'utilisation, %', 'mean wait, ms', drive.sled ? 'mean seek, positions' : 'mean seek, cylinders', ...(failures ? ['failed'] : [])];
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
    s.append(svg('circle', {cx: centre, cy: centre, r: rim, style: 'fill:var(--ground)', stroke: '#97a2b0'}), svg('circle', {cx: centre, cy: centre, r: hub, style: 'fill:var(--paper)', stroke: '#97a2b0'}));
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
        svg('circle', {cx: hx, cy: hy, r: 4, fill: colour}), svg('circle', {cx: px, cy: py, r: ring, style: 'fill:var(--paper);stroke:var(--rest)', 'stroke-width': 6}));
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
    if (named) s.append(svg('text', {x: centre, y: centre + 4.5, 'text-anchor': 'middle', 'font-size': 12, style: 'fill:var(--soft)'}, String(stack)));
    return s;
  }
};
window.armatureHeat = function (tools) {
  'use strict';
  const {data, summary, element, number, whole, section, legend, perDrive, common, draw, plain, phaseColours, phaseNames, several, armColour, readColour, writeColour, endOf} = tools;
  // ---- heat
  {
    const s = section('Heat of the medium',
      'Where on the medium the accesses of requests went and how long it was busy there, from the outermost cylinders (top) to the innermost, or from one end of X to the other. ' +
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
      const most = Math.max(...data.drives.flatMap(d => d.heat.rows.map(count))), longest = Math.max(...data.drives.flatMap(d => d.heat.rows.map(busy)), 1e-12);
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
};
