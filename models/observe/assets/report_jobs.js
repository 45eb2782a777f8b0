// Jobs of the host's programs: what each had of a drive. Called by report.js with its tools.
window.armatureJobs = function (tools) {
  'use strict';
  const {data, summary, element, number, section} = tools;
  if (!summary.drives.some(d => d.jobs)) return;
  const s = section('Jobs',
    'Requests and energy of each job of the host\'s programs. Between two arrivals or completions the energy of a drive is divided among the requests ' +
    'that it has, or among the jobs that have begun and not ended; what is drawn beside them is nobody\'s.');
  summary.drives.forEach((drive, index) => {
    if (!drive.jobs) return;
    const components = Object.keys(drive.jobs[0].by_component_j || {});
    const heads = ['job', 'requests', 'requests/s', 'mean, ms', 'p99, ms', 'adapter, us'];
    if (components.length) heads.push('J', 'J per request', ...components.map(c => c + ', J'));
    const table = element('table', {});
    table.append(element('thead', {}, element('tr', {}, ...heads.map((n, i) => element('th', i < 1 ? {class: 'left'} : {}, n)))));
    table.append(element('tbody', {}, ...drive.jobs.map(job => {
      const cells = [job.job || 'nobody', number(job.requests, 0), job.end_s > job.begin_s ? number(job.requests / (job.end_s - job.begin_s)) : '',
        number(job.mean_ms), number(job.p99_ms), number(job.adapter_us)];
      if (components.length) cells.push(number(job.energy_j), job.requests ? number(job.energy_j / job.requests, 4) : '',
        ...components.map(c => number(job.by_component_j[c])));
      return element('tr', {}, ...cells.map((c, k) => element('td', k < 1 ? {class: 'left'} : {}, c)));
    })));
    if (summary.drives.length > 1) s.append(element('h3', {}, data.drives[index].title));
    s.append(element('div', {class: 'scroll'}, table));
  });
};
