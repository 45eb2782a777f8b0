// Draws the pictures of sweep.html and compare.html from window.armatureStudy: lines over a key, heat map over two, any figure
// against any other with the best compromises joined, power by operating mode, all keys and figures beside each other. Whoever
// reads chooses.
(function () {
  'use strict';
  const {figures, series, rows, keys = [], colours} = window.armatureStudy;
  const colourOf = name => colours[series.indexOf(name) % colours.length];
  const config = {displaylogo: false, scrollZoom: true, responsive: true};
  const known = name => figures.find(f => f.name === name) || keys.find(k => k.name === name);
  const valueOf = (row, name) => name in row.values ? row.values[name] : row.given[name];
  const isNumber = v => typeof v === 'number' && Number.isFinite(v);
  const told = v => isNumber(v) ? String(Number(v.toPrecision(4))) : String(v === null || v === undefined ? '' : v);
  const state = window.armatureStudyState = {};

  function element(tag, attributes, ...children) {
    const e = document.createElement(tag);
    for (const [key, value] of Object.entries(attributes || {})) e.setAttribute(key, value);
    e.append(...children);
    return e;
  }
  // More than a decade, nothing at or below 0: a logarithmic axis.
  function spans(values) {
    const seen = values.filter(isNumber);
    if (!seen.length) return false;
    const low = Math.min(...seen), high = Math.max(...seen);
    return low > 0 && high > 10 * low;
  }
  function axis(title, values) {
    // Unseen ticks keep the labels of two axes apart where they meet.
    const shared = {title: {text: title, standoff: 12}, automargin: true, ticks: 'outside', ticklen: 5, tickcolor: 'rgba(0,0,0,0)'};
    if (values.some(v => v !== null && v !== undefined && !isNumber(v))) return Object.assign(shared, {type: 'category'});
    if (!spans(values)) return Object.assign(shared, {type: 'linear'});
    return Object.assign(shared, {type: 'log', tickvals: logTicks(values.filter(isNumber))});
  }
  // 1, 2 and 5 of each decade, or 1 alone of many.
  function logTicks(values) {
    const low = Math.min(...values), high = Math.max(...values), ticks = [];
    for (let decade = Math.floor(Math.log10(low)) - 1; decade <= Math.ceil(Math.log10(high)); ++decade)
      for (const digit of high < 2000 * low ? [1, 2, 5] : [1]) ticks.push(Number((digit * Math.pow(10, decade)).toPrecision(6)));
    return ticks;
  }
  function layout(height, more) {
    return Object.assign({height, font: {size: 13}, paper_bgcolor: 'rgba(0,0,0,0)', plot_bgcolor: 'rgba(0,0,0,0)',
      margin: {l: 70, r: 20, t: 10, b: 60}, hovermode: 'closest', showlegend: series.length > 1,
      legend: {orientation: 'h', x: 0, y: 1.04, yanchor: 'bottom'}}, more);
  }
  // A picture with a choice for each of `wanted`: {x: [label, names, first]}. `draw` gets the chosen names.
  function chooser(place, wanted, draw) {
    const bar = element('div', {class: 'choose'}), chart = element('div', {class: 'picture'});
    const selects = {};
    const show = () => {
      const chosen = Object.fromEntries(Object.entries(selects).map(([key, select]) => [key, select.value]));
      state[place.id] = chosen;
      const [traces, shape] = draw(chosen);
      Plotly.react(chart, traces, shape, config);
    };
    for (const [key, [label, names, first]] of Object.entries(wanted)) {
      const select = selects[key] = element('select', {'aria-label': label + ' of ' + place.id});
      for (const name of names) select.append(element('option', {value: name}, known(name) ? known(name).heading : name));
      select.value = names.includes(first) ? first : names[0];
      select.addEventListener('change', show);
      if (names.length > 1) bar.append(element('label', {}, label + ' ', select));
    }
    place.append(bar, chart);
    show();
  }
  const names = figures.map(f => f.name);
  const prefer = (...wanted) => wanted.find(name => names.includes(name)) || names[0];
  const numeric = key => rows.every(r => r.given[key] === null || isNumber(r.given[key]));
  const hover = row => row.label + figures.map(f => '<br>' + f.heading + ' ' + told(row.values[f.name]) +
    (row.half[f.name] ? ' ± ' + told(row.half[f.name]) : '')).join('');

  // ---- lines over one key; of points that other keys tell apart, a line each
  function lines(place) {
    chooser(place, {y: ['figure', names, prefer('p99', 'mean')], x: ['over', keys.map(k => k.name), keys[0].name]}, ({x, y}) => {
      const groups = new Map();
      for (const row of rows) {
        const rest = keys.filter(k => k.name !== x).map(k => k.short + '=' + told(row.given[k.name])).join(' ');
        const id = row.series + (rest ? ' ' + rest : '');
        if (!groups.has(id)) groups.set(id, []);
        groups.get(id).push(row);
      }
      const dashes = ['solid', 'dash', 'dot', 'dashdot', 'longdash', 'longdashdot'], seen = {};
      const traces = [...groups.entries()].map(([name, all]) => {
        const here = all.filter(r => isNumber(r.values[y])).sort((a, b) => numeric(x) ? a.given[x] - b.given[x] : 0);
        const nth = seen[all[0].series] = (seen[all[0].series] ?? -1) + 1;
        // One system: its lines differ by colour. Several: each has its colour, and its lines differ by their dashes.
        const line = series.length === 1 ? {color: colours[nth % colours.length]} : {color: colourOf(all[0].series), dash: dashes[nth % dashes.length]};
        return {name, x: here.map(r => r.given[x]), y: here.map(r => r.values[y]), mode: 'lines+markers', text: here.map(hover),
          hoverinfo: 'text', line, marker: {size: 7},
          error_y: {array: here.map(r => r.half[y] || 0), visible: here.some(r => r.half[y])}};
      });
      return [traces, layout(460, {showlegend: groups.size > 1, xaxis: axis(known(x).heading, rows.map(r => r.given[x])),
        yaxis: axis(known(y).heading, rows.map(r => r.values[y]))})];
    });
  }

  // ---- heat map over two keys
  const sorted = key => [...new Set(rows.map(r => r.given[key]))].sort((a, b) => isNumber(a) && isNumber(b) ? a - b : 0);
  function heat(place) {
    const pairs = keys.map(k => k.name);
    chooser(place, {z: ['figure', names, prefer('p99', 'mean')], of: ['drive', series, series[0]],
                    x: ['across', pairs, pairs[0]], y: ['up', pairs, pairs[1]]}, ({z, of, x, y}) => {
      const columns = sorted(x), lanes = sorted(y);
      const cells = lanes.map(b => columns.map(a => {
        const here = rows.filter(r => r.series === of && r.given[x] === a && r.given[y] === b).map(r => r.values[z]).filter(isNumber);
        return here.length ? here.reduce((p, q) => p + q) / here.length : null;  // over the other keys
      }));
      const all = cells.flat().filter(isNumber), log = spans(all);
      const shade = cells.map(lane => lane.map(v => v === null ? null : log ? Math.log10(v) : v));
      const low = Math.min(...all), high = Math.max(...all);
      const ticks = log ? Array.from({length: 5}, (_, i) => low * Math.pow(high / low, i / 4)) : null;
      const trace = {type: 'heatmap', x: columns.map(told), y: lanes.map(told), z: shade, text: cells.map(lane => lane.map(told)),
        texttemplate: all.length <= 150 ? '%{text}' : '', hovertemplate: '%{x}, %{y}: %{text}<extra></extra>',
        colorscale: 'Viridis', reversescale: (known(z).better || -1) < 0,
        colorbar: Object.assign({title: {text: known(z).heading, side: 'right'}}, log ? {tickvals: ticks.map(Math.log10), ticktext: ticks.map(told)} : {})};
      return [[trace], layout(Math.max(320, 140 + 44 * lanes.length), {showlegend: false, margin: {l: 70, r: 20, t: 36, b: 60},
        xaxis: {title: {text: known(x).heading, standoff: 12}, type: 'category', automargin: true},
        yaxis: {title: {text: known(y).heading, standoff: 12}, type: 'category', automargin: true}})];
    });
  }

  // ---- any figure against any other; what nothing beats in both is joined
  function best(all, x, y) {
    const bx = known(x).better, by = known(y).better;
    if (!bx || !by) return [];
    const beats = (a, b) => (a.values[x] - b.values[x]) * bx >= 0 && (a.values[y] - b.values[y]) * by >= 0 &&
      (a.values[x] !== b.values[x] || a.values[y] !== b.values[y]);
    return all.filter(b => !all.some(a => beats(a, b))).sort((a, b) => a.values[x] - b.values[x]);
  }
  function tradeoff(place) {
    const everywhere = 'all points', pointOf = r => keys.map(k => k.short + '=' + told(r.given[k.name])).join(' ');
    const points = keys.length ? [everywhere, ...new Set(rows.map(pointOf))] : [everywhere];
    chooser(place, {x: ['across', names, prefer('watts', 'requests_per_s', 'mean')], y: ['up', names, prefer('p99', 'mean')],
                    at: ['of', points.length <= 200 ? points : [everywhere], everywhere]}, ({x, y, at}) => {
      const all = rows.filter(r => isNumber(r.values[x]) && isNumber(r.values[y]) && (at === everywhere || pointOf(r) === at));
      const joined = at === everywhere && keys.length === 1 && numeric(keys[0].name);
      const front = state.front = best(all, x, y);
      const traces = series.map(name => {
        const here = all.filter(r => r.series === name);
        if (joined) here.sort((a, b) => a.given[keys[0].name] - b.given[keys[0].name]);
        const bars = figure => ({array: here.map(r => r.half[figure] || 0), visible: here.some(r => r.half[figure]), thickness: 1, width: 3});
        return {name, x: here.map(r => r.values[x]), y: here.map(r => r.values[y]), mode: joined ? 'lines+markers' : 'markers', text: here.map(hover),
          hoverinfo: 'text', line: {width: 1, color: colourOf(name)}, marker: {size: 10, color: colourOf(name)}, error_x: bars(x), error_y: bars(y)};
      }).filter(trace => trace.x.length);
      if (front.length) traces.unshift({name: 'nothing is better in both', x: front.map(r => r.values[x]), y: front.map(r => r.values[y]), mode: 'lines',
        hoverinfo: 'skip', line: {color: '#8a94a3', width: 1.5, dash: 'dot', shape: known(y).better < 0 === known(x).better < 0 ? 'hv' : 'vh'}});
      return [traces, layout(480, {showlegend: true, xaxis: axis(known(x).heading, all.map(r => r.values[x])), yaxis: axis(known(y).heading, all.map(r => r.values[y]))})];
    });
  }

  // ---- parallel coordinates: keys and figures beside each other, a line each point
  function parallel(place) {
    // Of many axes the other quantiles are left out; the rest has room for its numbers, or scrolls.
    const many = keys.length + figures.length > 10;
    const chosen = [...keys, ...figures.filter(f => !many || !/^p(50|90|95|99\..*)$/.test(f.name))];
    const shown = chosen.map(one => ({...one, all: rows.map(r => valueOf(r, one.name))}))
      .filter(one => new Set(one.all.filter(v => v !== null && v !== undefined)).size > 1);
    if (shown.length < 2) return;
    place.classList.add('wide');
    const room = element('div', {id: 'parallel', style: 'min-width:' + 84 * shown.length + 'px'});
    place.removeAttribute('id');
    place.append(room);
    for (const one of shown) {
      const plain = one.all.filter(v => v !== null && v !== undefined), log = spans(plain);
      const words = plain.every(isNumber) ? null : [...new Set(plain)];
      const scale = v => words ? words.indexOf(v) : log ? Math.log(v) : v;
      const low = Math.min(...plain.map(scale)), high = Math.max(...plain.map(scale));
      one.at = v => v === null || v === undefined ? null : (scale(v) - low) / (high - low);
      one.ticks = words ? words.map(w => [one.at(w), w]) : [0, 0.5, 1].map(p => [p, told(log ? Math.exp(low + p * (high - low)) : low + p * (high - low))]);
    }
    chooser(room, {sort: ['coloured by', ['drive', ...shown.filter(s => s.ticks && numericOf(s)).map(s => s.name)], 'drive']}, ({sort}) => {
      const by = shown.find(s => s.name === sort);
      const traces = rows.map(row => ({x: shown.map((_, i) => i), y: shown.map(one => one.at(valueOf(row, one.name))), mode: 'lines', name: row.series,
        legendgroup: row.series, showlegend: false, hoverinfo: 'text', text: shown.map(() => hover(row)), opacity: rows.length > 60 ? 0.45 : 0.8,
        line: {width: 1.6, color: by ? shade(by.at(valueOf(row, sort))) : colourOf(row.series)}}));
      if (!by) series.forEach(name => { const first = traces.find(t => t.name === name); if (first) first.showlegend = series.length > 1; });
      const annotations = shown.flatMap((one, i) => one.ticks.map(([at, text]) =>
        ({x: i, y: at, text, showarrow: false, xanchor: i === shown.length - 1 ? 'right' : 'left', xshift: i === shown.length - 1 ? -4 : 4, font: {size: 11}})));
      const shapes = shown.map((_, i) => ({type: 'line', x0: i, x1: i, y0: 0, y1: 1, line: {color: '#8a94a3', width: 1}}));
      return [traces, layout(460, {annotations, shapes, margin: {l: 40, r: 40, t: 10, b: 60}, yaxis: {visible: false, range: [-0.06, 1.12], fixedrange: true},
        xaxis: {tickvals: shown.map((_, i) => i), ticktext: shown.map(s => s.heading.replace(/, (?=[^,]*$)/, ',<br>')), showgrid: false, zeroline: false,
          tickangle: 0, tickfont: {size: 11}, fixedrange: true, automargin: true}})];
    });
  }
  const numericOf = one => one.all.every(v => v === null || v === undefined || isNumber(v));
  const shade = p => p === null ? '#8a94a3' : 'hsl(' + (220 - 190 * p).toFixed(0) + ',70%,52%)';

  // ---- power by operating mode: a bar a point and drive; its parts add up to the watts of the tables
  function modes(place) {
    const shown = rows.filter(r => Object.keys(r.modes).length);
    const of = [...new Set(shown.map(r => r.series))], all = 'all drives';
    const forms = {watts: 'average power, W', share: 'share of the energy, %'};
    const first = of.includes('array') ? 'array' : all;
    chooser(place, {form: ['as', Object.values(forms), forms.watts], drive: ['of', of.length > 1 && keys.length ? [all, ...of] : [all], first]}, ({form, drive}) => {
      const here = shown.filter(r => drive === all || r.series === drive);
      const sum = r => Object.values(r.modes).reduce((a, b) => a + b, 0);
      const value = (r, mode) => form === forms.watts ? r.modes[mode] || 0 : 100 * (r.modes[mode] || 0) / sum(r);
      const names = Object.keys(window.armatureStudy.modeColours).filter(mode => here.some(r => value(r, mode) > 0));
      const traces = names.map(mode => ({type: 'bar', orientation: 'h', name: mode.replace(/_/g, ' '), y: here.map(r => r.label), x: here.map(r => value(r, mode)),
        marker: {color: window.armatureStudy.modeColours[mode]}, hovertemplate: '%{y}<br>' + mode.replace(/_/g, ' ') + ' %{x:.4g}<extra></extra>'}));
      return [traces, layout(Math.max(240, 130 + 26 * here.length), {barmode: 'stack', showlegend: true,
        legend: {orientation: 'h', x: 0, y: 1.04, yanchor: 'bottom', traceorder: 'normal'},
        xaxis: {title: {text: form, standoff: 12}, automargin: true}, yaxis: {autorange: 'reversed', automargin: true, type: 'category'}})];
    });
  }

  const draws = {lines, heat, tradeoff, modes, parallel};
  for (const [name, draw] of Object.entries(draws)) {
    const place = document.getElementById(name);
    if (place) draw(place);
  }
})();
