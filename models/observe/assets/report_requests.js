// The slowest requests and the life of each. Called by report.js with its tools.
window.armatureRequests = function (tools) {
  'use strict';
  const {driveHeading, data, summary, element, number, whole, section, legend, perDrive, common, draw, plain, phaseColours, phaseNames, several, armColour, readColour, writeColour} = tools;
  // "late_data:1|late_channel:2" for people.
  const causes = text => text.split('|').map(c => c.split(':')).map(([name, count]) => (count ? count + ' ' : '') + name.replace(/_/g, ' ')).join(', ');
  // ---- slowest
  {
    const s = section('Slowest requests', 'The requests with the longest response times, and where each of them spent its time. A request\'s number opens its life.');
    for (const drive of data.drives) {
      if (!drive.slowest.length) continue;
      if (several) s.append(driveHeading(drive, data.drives.indexOf(drive)));
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
          r.missed ? r.missed + ' (' + causes(r.cause) + ')' : '', r.status];
        body.append(element('tr', {}, ...cells.map((c, i) => element('td', [1, 6, 7, 8, 9].includes(i) ? {class: 'left'} : {}, c))));
      }
      table.append(body);
      s.append(element('div', {class: 'scroll'}, table));
      for (const r of [...drive.slowest, ...drive.spikes]) s.append(life(drive, r));
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
      return element('tr', {}, element('td', {}, number(begin, 9)), element('td', {class: 'left'}, phaseNames[phase] + (below ? ' (and the link worked for it)' : '')),
        element('td', {}, number(end - begin, 9)), element('td', {class: 'left'}, bar));
    })));
    box.append(table);
    if (r.all_moments > r.moments.length) box.append(element('p', {class: 'hint'}, whole(r.all_moments - r.moments.length) + ' more moments are in events.csv.'));
    if (!r.moments.length) box.append(element('p', {class: 'hint'}, 'The order of its phases was not kept (output.timelines).'));
    box.append(element('p', {class: 'hint'}, 'With its neighbours in the queue and its positioning, and the waveform around it, in the directory of this report:'),
      element('pre', {}, 'armature explain ' + r.id + ' --run .' + which + '\narmature run resolved.toml --out waves --around ' + r.id +
        (several ? ' --set output.around_drive=' + drive.name : '') + '\ngtkwave waves/waves.fst waves/waves.gtkw'));
    return box;
  }
};
