/** The tables of slow and flaky scenarios. */
import type { DashboardScenariosResponse } from '../../contract/dashboard-api.ts';
import { formatDuration } from '../../report/measures.ts';
import { createElement, replaceContent } from './create-element.ts';
import { formatInteger } from './format.ts';

type Column = { readonly name: string; readonly isNumber: boolean };

export function renderScenarios(container: HTMLElement, { slowest, flakiest }: DashboardScenariosResponse): void {
  const slow = slowest.map((row) => [
    row.scenario,
    row.instance,
    formatDuration(row.mean_s * 1000),
    formatInteger(row.runs),
  ]);
  const flaky = flakiest.map(({ scenario, instance, changes, runs }) => [
    scenario,
    instance,
    `${formatInteger(changes)} ×`,
    formatInteger(runs),
  ]);
  replaceContent(
    container,
    createTable('Slowest scenarios', 'mean', slow, 'No scenario has run in this time range.'),
    createTable(
      'Flakiest scenarios',
      'result changes',
      flaky,
      'No scenario’s result changed while its text stayed the same.',
    ),
  );
}

function createTable(title: string, value: string, rows: readonly string[][], emptyText: string): HTMLElement {
  const columns: Column[] = [
    { name: 'Scenario', isNumber: false },
    { name: 'Instance', isNumber: false },
    { name: value, isNumber: true },
    { name: 'runs', isNumber: true },
  ];
  const heading = createElement('h2', {}, title);
  if (rows.length === 0)
    return createElement('section', {}, heading, createElement('p', { class: 'faint' }, emptyText));
  const head = columns.map(({ name, isNumber }) =>
    createElement('th', { scope: 'col', class: getCellClass(isNumber) }, name),
  );
  const body = rows.map((cells) =>
    createElement(
      'tr',
      {},
      ...cells.map((cell, index) => createElement('td', { class: getCellClass(columns[index]?.isNumber) }, cell)),
    ),
  );
  const scroll = { class: 'table-scroll', role: 'region', 'aria-label': title, tabindex: '0' };
  const tableElement = createElement(
    'table',
    {},
    createElement('thead', {}, createElement('tr', {}, ...head)),
    createElement('tbody', {}, ...body),
  );
  return createElement('section', {}, heading, createElement('div', scroll, tableElement));
}

function getCellClass(isNumber = false): string {
  return isNumber ? 'number' : 'name';
}
