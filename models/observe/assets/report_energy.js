// Energy of the drives: bars by component and mode, by rail, and power over time. Called by report.js with its tools.
window.armatureEnergy = function (tools) {
  'use strict';
  const {data, summary, element, number, section, legend, perDrive, perGroup, common, draw, niceStep, plain, endOf, steps} = tools;
  if (!summary.drives.some(d => d.energy)) return;
  const named = object => Object.entries(object).map(([name, values]) => Object.assign({name}, values));
  const energies = summary.drives.map(d => d.energy && {
    total: d.energy.energy_j, average: d.energy.average_w, peak: d.energy.peak_w, request: d.energy.energy_per_request_j,
    delay: d.energy.energy_delay_js, windows: d.energy.rolling, rails: named(d.energy.rails), modes: named(d.energy.modes),
    components: named(d.energy.components)
  });
  // Modes as in the breakdown of time: mechanics blue, waiting and rest grey, the spindle's own starts brown.
  const modeColours = window.armaturePalette.modes;
  const railColours = {'5V': '#d9622b', '12V': '#d6b400'};
  const words = name => name.replace(/_/g, ' ');

  const s = section('Energy',
    'Where the energy went: by component, operating mode and supply rail. Each instant counts for the mode of the arm that works; ' +
    'what all arms share is divided equally among those at work. Components and modes add up to the total exactly.' +
    (summary.drives.some(d => d.members) ? ' The energy of an array is what its drives draw up to its end_s, when its last request is answered; each drive\'s own goes on until it has nothing more to do.' : ''));

  // ---- figures
  const heads = ['drive', 'energy, J', 'average, W', 'peak, W', ...windowsOf(), '5 V, W', '12 V, W', 'J per request', 'energy x mean response (E x T), J s'];
  perGroup(s, indices => {
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, ...heads.map((n, i) => element('th', i < 1 ? {class: 'left'} : {}, n)))));
    table.append(element('tbody', {}, ...indices.map(i => {
      const drive = data.drives[i], e = energies[i];
      if (!e) return element('tr', {}, element('td', {class: 'left'}, drive.title), element('td', {class: 'left', colspan: heads.length - 1},
        summary.drives[i].members ? 'one of its drives has no power' : 'its drive file has no power'));
      const cells = [drive.title, number(e.total), number(e.average), number(e.peak), ...e.windows.map(w => number(w.most_w)),
        ...e.rails.map(r => number(r.average_w)), e.request === undefined ? '' : number(e.request, 4),
        e.delay === undefined ? '' : number(e.delay, 6)];
      return element('tr', {}, ...cells.map((c, k) => element('td', k < 1 ? {class: 'left'} : {}, c)));
    })));
    s.append(element('div', {class: 'scroll'}, table));
  });
  function windowsOf() {
    return energies.find(e => e).windows.map(({window_s: length}) =>
      'max ' + (length < 1 ? number(length * 1000, 0) + ' ms average, W' : number(length, 0) + ' s average, W'));
  }

  // The same scales for all drives, and for arrays by drive.
  const isArray = index => Boolean(summary.drives[index].members);
  const mostJoules = index => Math.max(...energies.filter((e, i) => e && isArray(i) === isArray(index)).flatMap(e => e.components.map(c => c.energy_j)), 1e-12);
  const mostWatts = index => Math.max(...data.drives.filter((d, i) => d.power && isArray(i) === isArray(index)).flatMap(d => d.power.rows.map(r => r[3])), 1e-9);
  // ---- bars: one row a component; parts of a row by `kinds`
  const bars = (cell, index, title, kinds, colours, rows) => {
    const used = kinds.map((_, i) => rows.some(r => r.parts[i] > 0));
    cell.append(element('h3', {}, title), legend(kinds.map((k, i) => [words(k), colours[k]]).filter((_, i) => used[i])));
    const place = element('div', {class: 'bars'});
    const sum = row => row.parts.reduce((a, b) => a + b, 0);
    const longest = mostJoules(index);
    for (const row of rows) {
      const bar = element('div', {class: 'bar'});
      row.parts.forEach((part, i) => {
        if (part > 0) bar.append(element('i', {style: 'flex:none;width:' + 100 * part / longest + '%;background:' + colours[kinds[i]],
          title: words(kinds[i]) + ': ' + number(part) + ' J (' + number(100 * part / sum(row), 1) + ' % of this row)'}));
      });
      place.append(element('div', {class: 'name'}, row.name), bar, element('div', {class: 'value'}, row.value || number(sum(row)) + ' J'));
    }
    const axis = element('div', {class: 'axis'}), step = niceStep(longest / (innerWidth < 900 ? 3 : 5));
    for (let v = 0; v <= longest * 1.0001; v += step) {
      axis.append(element('span', {style: 'left:' + 100 * v / longest + '%'}, String(Number(v.toPrecision(6)))));
    }
    place.append(element('div', {}), axis, element('div', {}));
    cell.append(place);
  };
  const parts = (kinds, joules) => kinds.map(k => joules[k.name] || 0);
  perDrive(s, (cell, drive, index) => {
    const e = energies[index];
    if (!e) { cell.append(element('p', {class: 'hint'}, 'No energy: its drive file has no power.')); return; }
    const drawing = e.components.filter(c => c.energy_j > 0);
    const kind = isArray(index) ? 'drive' : 'component';
    bars(cell, index, 'By ' + kind + ' and mode, J', e.modes.map(m => m.name), modeColours,
      drawing.map(c => ({name: c.name, parts: parts(e.modes, c.by_mode_j)})));
    if (!isArray(index)) cell.append(element('p', {class: 'hint'}, 'Average power in a mode, all components: ' +
      e.modes.filter(m => m.time_s > 0).map(m => words(m.name) + ' ' + number(m.energy_j / m.time_s) + ' W for ' + number(m.time_s) + ' s').join(', ') + '.'));
    bars(cell, index, 'By ' + kind + ' and rail, J', e.rails.map(r => r.name), railColours,
      drawing.map(c => ({name: c.name, parts: parts(e.rails, c.by_rail_j)})));
  });

  // ---- over time
  s.append(element('h3', {}, 'Power over time'),
    element('p', {class: 'say'}, 'Average of each interval on 12 V and, above it, 5 V; the thin line is the peak power within the interval.'));
  perDrive(s, (cell, drive, index) => {
    if (!drive.power || !drive.power.rows.length) return;
    const chart = element('div', {class: 'chart'});
    cell.append(legend([['12 V', railColours['12V']], ['5 V, on top', railColours['5V']], ['peak', '#7d8998', 'rule']]), chart);
    const rows = steps(drive.power.rows.map(([t, v5, v12, most]) => [t, v12, v12 + v5, most]), drive.power.interval_s);
    draw(chart, rows, Object.assign({}, common, {
      labels: ['s', '12 V', '12 V and 5 V', 'peak'], stepPlot: true,
      series: {
        '12 V': {color: railColours['12V'], fillGraph: true, fillAlpha: 0.45, strokeWidth: 1},
        '12 V and 5 V': {color: railColours['5V'], fillGraph: true, fillAlpha: 0.3, strokeWidth: 1},
        peak: {color: '#7d8998', strokeWidth: 0.8}
      },
      xlabel: 'time, s', ylabel: 'W', valueRange: [0, mostWatts(index) * 1.08], dateWindow: [0, endOf(index)],
      axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
             y: {axisLabelFormatter: plain, valueFormatter: v => number(v) + ' W'}}
    }));
  });

  // ---- temperatures
  if (!data.drives.some(d => d.temperatures)) return;
  const partColours = {spindle: '#2d6cb5', arms: '#d9622b', board: '#2f9e6e', case: '#5b6470'};
  s.append(element('h3', {}, 'Temperatures over time'),
    element('p', {class: 'say'}, 'Of the drive\'s parts; the dashed line is the greatest temperature of the case that the datasheet allows. ' +
      'Steady: where a part ends if the run\'s mean power goes on for ever.'));
  perDrive(s, (cell, drive, index) => {
    if (!drive.temperatures) return;
    const {parts: names, rows, limit_c: limit} = drive.temperatures, thermal = summary.drives[index].thermal;
    const throttled = (summary.drives[index].counters || {}).throttled_share;
    cell.append(element('p', {class: 'hint'}, names.map(name => name + ' ' + number(thermal.parts[name].end_c) + ' C (steady ' +
      number(thermal.parts[name].steady_c) + ')').join(', ') + '; time constant ' + number(thermal.time_constant_s, 0) + ' s; above the limit for ' +
      number(thermal.above_limit_s) + ' s; headroom in the steady state ' + number(thermal.headroom_c) + ' C.' +
      (throttled ? ' Firmware throttled the drive in ' + number(100 * throttled) + ' % of the time.' : '')));
    const chart = element('div', {class: 'chart'});
    cell.append(legend([...names.map(name => [name, partColours[name]]), ['limit', '#b3261e', 'rule']]), chart);
    const values = rows.flatMap(row => row.slice(1)), least = Math.min(...values), most = Math.max(...values, limit);
    const series = Object.fromEntries(names.map(name => [name, {color: partColours[name], strokeWidth: 1.4}]));
    series.limit = {color: '#b3261e', strokeWidth: 1, strokePattern: [6, 4]};
    draw(chart, rows.map(row => [...row, limit]), Object.assign({}, common, {
      labels: ['s', ...names, 'limit'], series, xlabel: 'time, s', ylabel: 'C', valueRange: [least - 2, most + 2], dateWindow: [0, endOf(index)],
      axes: {x: {axisLabelFormatter: plain, valueFormatter: t => number(t) + ' s'},
             y: {axisLabelFormatter: plain, valueFormatter: v => number(v) + ' C'}}
    }));
  });
};
