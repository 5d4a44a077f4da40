import { createElement, type ReactNode } from 'react';
import t, { type Test } from 'tap';
import type { Run } from '../../../../src/contract/api.ts';
import { renderConsole } from '../../render-console.ts';
import { createTestRun } from '../../test-run.ts';

async function renderFacts(t: Test, run: Partial<Run>): Promise<Element> {
  const load = async (): Promise<ReactNode> => {
    const { TargetFacts } = await import('../../../../src/console/runs/detail/run-facts.tsx');
    return createElement(TargetFacts, { run: createTestRun(1, run) });
  };
  return (await renderConsole(t, '/', {}, load)).container;
}

const startedAt = '2026-11-22T14:30:12.000Z';

t.test('the version leads to what it changed, and the process says when it was started', async (t) => {
  const target = { target_version: 'v 1&2', target_process: `pid 42 on box, started at ${startedAt}` };
  const facts = await renderFacts(t, target);
  t.match(facts.textContent, /^version v 1&2pid 42 on box, started .+/);
  t.equal(facts.querySelector('a')?.getAttribute('href'), '/instances/shop/compare?head=v%201%262');
  t.equal(facts.querySelector('time')?.getAttribute('datetime'), startedAt);
});

t.test('a container without a pid in its lines is a process too, and what is not known is not named', async (t) => {
  t.match((await renderFacts(t, { target_process: `started at ${startedAt}` })).textContent, /^process started .+/);
  t.equal((await renderFacts(t, {})).textContent, '');
});

t.test('a long address of a scenario keeps its host and its end', async (t) => {
  const long = 'https://issues.example.com/browse/projects/shop/boards/17/SHOP-1234?view=detail';
  const { container } = await renderConsole(t, '/', {}, async () => {
    const { ScenarioLinks } = await import('../../../../src/console/runs/detail/run-facts.tsx');
    return createElement(ScenarioLinks, { links: ['https://wiki.example.com/', long] });
  });
  const [short, cut] = container.querySelectorAll('a');
  t.match(short?.textContent, /^wiki\.example\.com \(opens/);
  t.match(cut?.textContent, /^issues\.example\.…\S*SHOP-1234\?view=detail \(opens/);
  t.equal(cut?.getAttribute('href'), long);
});
