/** Notices above the charts: alerts, and failures to load data. */
import type { DashboardInstancesResponse } from '../../contract/dashboard-api.ts';
import { formatCoarseDuration, formatExactTime } from '../text/format.ts';
import { createElement, renderInlineCode, replaceContent } from './create-element.ts';
import type { DashboardFailure } from './dashboard-api.ts';

/** Shows firing alerts, critical ones first. */
export function renderAlerts(container: HTMLElement, { alerts }: Pick<DashboardInstancesResponse, 'alerts'>): void {
  const sortedAlerts = alerts.toSorted((a, b) => a.severity.localeCompare(b.severity));
  const rows = sortedAlerts.map(({ severity, summary, cure }) => {
    const isCritical = severity === 'critical';
    const sign = createElement('span', { class: 'mark', 'aria-hidden': 'true' }, isCritical ? '✕' : '!');
    const message = createElement('span', {}, createElement('b', {}, summary), ': ', ...renderInlineCode(cure));
    return createElement('li', { class: isCritical ? 'is-failed' : 'is-broken' }, sign, message);
  });
  replaceContent(container, ...(rows.length === 0 ? [] : [createElement('ul', { 'aria-label': 'Alerts' }, ...rows)]));
}

/** Shows a failure, its duration and its fix; without a failure, nothing. */
export function renderFailure(
  container: HTMLElement,
  failure: DashboardFailure | undefined,
  sinceMs: number,
  nowMs: number,
): void {
  if (!failure) {
    replaceContent(container);
    return;
  }
  const sinceTimeMs = failure.since === undefined ? sinceMs : Date.parse(failure.since);
  const elapsed = `for ${formatCoarseDuration(Math.max(0, nowMs - sinceTimeMs))}`;
  const exactTime = formatExactTime(new Date(sinceTimeMs).toISOString());
  const sentence = failure.sentence.replace(/ since \S+?Z/, '');
  replaceContent(
    container,
    createElement(
      'div',
      { class: 'problem' },
      createElement(
        'p',
        {},
        createElement('b', {}, sentence),
        ' (',
        createElement('time', { title: exactTime }, elapsed),
        ')',
      ),
      createElement('p', {}, ...renderInlineCode(failure.cure)),
      createElement(
        'p',
        { class: 'faint' },
        'The dashboard retries automatically. Charts below, if any, show earlier data.',
      ),
    ),
  );
}

export function createEmptyState(): HTMLElement {
  return createElement(
    'div',
    { class: 'empty' },
    createElement('h2', {}, 'No instances in this time range'),
    createElement(
      'p',
      {},
      ...renderInlineCode(
        '`vp onboard --tier compose --product-dir product --test-dir test` starts one. It appears here after a few seconds.',
      ),
    ),
    createElement(
      'p',
      { class: 'faint' },
      ...renderInlineCode('If an instance is missing, run `vp doctor` to find out why.'),
    ),
  );
}
