// The last rebuild of an array: how far, how fast, and the response times around it. Called by report.js with its tools.
window.armatureRebuild = function (tools) {
  'use strict';
  const {data, summary, element, number, section, driveColours} = tools;
  const value = (drive, name) => drive.counters && drive.counters[name];
  const arrays = summary.drives.map((drive, index) => ({drive, index})).filter(({drive}) => value(drive, 'rebuild_share') !== undefined);
  if (!arrays.length) return;
  const s = section('Rebuild', 'The last rebuild of a member on a spare. Response times count by when the request ended: before the first rebuild began, ' +
    'while one was under way, or after it.');
  for (const {drive, index} of arrays) {
    const share = value(drive, 'rebuild_share'), ended = value(drive, 'rebuild_ended_s');
    if (summary.drives.length > 1) s.append(element('h3', {}, data.drives[index].title || data.drives[index].name));
    s.append(element('div', {class: 'bar', title: number(100 * share, 1) + ' % done'},
      element('i', {style: 'flex:none;width:' + 100 * share + '%;background:' + driveColours[index % driveColours.length]})));
    const facts = [['done', number(100 * share, 1) + ' %'], ['rate', number(value(drive, 'rebuild_mb_s')) + ' MB/s'],
      ['began', number(value(drive, 'rebuild_began_s')) + ' s'],
      [ended === undefined ? 'would end at this rate' : 'ended', value(drive, 'rebuild_projected_end_s') === undefined ? '-' :
        number(value(drive, 'rebuild_projected_end_s')) + ' s']];
    const parts = ['before', 'during', 'after'];
    const row = (heads, cells) => [element('thead', {}, element('tr', {}, ...heads.map((h, i) => element('th', i < 1 ? {class: 'left'} : {}, h)))),
      element('tbody', {}, ...cells.map(line => element('tr', {}, ...line.map((c, i) => element('td', i < 1 ? {class: 'left'} : {}, c)))))];
    s.append(element('div', {class: 'scroll'}, element('table', {}, ...row(facts.map(f => f[0]), [facts.map(f => f[1])]))));
    s.append(element('div', {class: 'scroll'}, element('table', {}, ...row(['', ...parts], [
      ['requests', ...parts.map(p => number(value(drive, 'rebuild_requests_' + p) || 0, 0))],
      ['99 % of the response times, ms', ...parts.map(p => value(drive, 'rebuild_p99_' + p + '_ms') === undefined ? '-' : number(value(drive, 'rebuild_p99_' + p + '_ms')))]]))));
  }
};
