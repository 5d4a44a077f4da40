import { createElement } from 'react';
import t from 'tap';
import { renderConsole } from '../../render-console.ts';
import { createTestRun } from '../../test-run.ts';

t.test('a run names its owner, its links, and the change with its job', async (t) => {
  const run = createTestRun(1, {
    owner: 'checkout team',
    source: {
      ...{ branch: 'checkout', commit: '4f2c9e1ab03d5567', author: 'Ana Lopes' },
      ...{ job: 'verify #17', url: 'https://ci.example.com/jobs/17' },
    },
  });
  const { container } = await renderConsole(t, '/', {}, async () => {
    const { RunVerdict } = await import('../../../../src/console/runs/detail/run-verdict.tsx');
    const links = ['https://wiki.example.com/orders'];
    const rest = { report: null, late_report: null, scenario_text: null, report_expired: false };
    return createElement(RunVerdict, { run: { ...run, ...rest, links } });
  });
  t.match(container.textContent, /owner checkout team.*checkout.*4f2c9e1ab0(?!3).*Ana Lopes.*verify #17/s);
  const links = [...container.querySelectorAll('a')].map((link) => link.getAttribute('href'));
  t.ok(links.includes('https://ci.example.com/jobs/17'));
  t.ok(links.includes('https://wiki.example.com/orders'));
});
