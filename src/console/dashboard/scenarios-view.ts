/** The two tables below the instances. */
import type { ScenariosAnswer } from '../../contract/dashboard-api.ts';
import { durationText } from '../words/moments.ts';
import { element, fill } from './element.ts';
import { countText } from './figures.ts';

type Column = { readonly name: string; readonly isNumber: boolean };

/** Shows both, or that there is nothing to show. */
export function showScenarios(place: HTMLElement, { slowest, flakiest }: ScenariosAnswer): void {
  const slow = slowest.map((row) => [row.scenario, row.instance, durationText(row.mean_s * 1000), countText(row.runs)]);
  const flaky = flakiest.map(({ scenario, instance, changes, runs }) => [
    scenario,
    instance,
    `${countText(changes)} ×`,
    countText(runs),
  ]);
  fill(
    place,
    table('Slowest scenarios', 'mean', slow, 'No scenario has run in this time.'),
    table(
      'Flakiest scenarios',
      'turned round',
      flaky,
      'No scenario’s result turned round while its text stayed the same.',
    ),
  );
}

function table(title: string, value: string, rows: readonly string[][], none: string): HTMLElement {
  const columns: Column[] = [
    { name: 'Scenario', isNumber: false },
    { name: 'Instance', isNumber: false },
    { name: value, isNumber: true },
    { name: 'runs', isNumber: true },
  ];
  const heading = element('h2', {}, title);
  if (rows.length === 0) return element('section', {}, heading, element('p', { class: 'faint' }, none));
  const head = columns.map(({ name, isNumber }) => element('th', { scope: 'col', class: lookOf(isNumber) }, name));
  const body = rows.map((cells) =>
    element('tr', {}, ...cells.map((cell, index) => element('td', { class: lookOf(columns[index]?.isNumber) }, cell))),
  );
  const scroll = { class: 'table-place', role: 'region', 'aria-label': title, tabindex: '0' };
  const made = element('table', {}, element('thead', {}, element('tr', {}, ...head)), element('tbody', {}, ...body));
  return element('section', {}, heading, element('div', scroll, made));
}

function lookOf(isNumber = false): string {
  return isNumber ? 'number' : 'name';
}
