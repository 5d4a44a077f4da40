/** What stands above the charts: what is wrong now, and whether the page is true. */
import type { InstancesAnswer } from '../../contract/dashboard-api.ts';
import { exactText, spanText } from '../words/moments.ts';
import type { AskFault } from './ask.ts';
import { element, fill, withCode } from './element.ts';

/** Alerts that are on, the critical ones first. */
export function showAlerts(place: HTMLElement, { alerts }: Pick<InstancesAnswer, 'alerts'>): void {
  const inOrder = alerts.toSorted((a, b) => a.severity.localeCompare(b.severity));
  const rows = inOrder.map(({ severity, summary, cure }) => {
    const isBad = severity === 'critical';
    const sign = element('span', { class: 'mark', 'aria-hidden': 'true' }, isBad ? '✕' : '!');
    const words = element('span', {}, element('b', {}, summary), ': ', ...withCode(cure));
    return element('li', { class: isBad ? 'is-failed' : 'is-broken' }, sign, words);
  });
  fill(place, ...(rows.length === 0 ? [] : [element('ul', { 'aria-label': 'Alerts' }, ...rows)]));
}

/** Why there is nothing new, since when, and what to do; nothing where all is well. */
export function showFault(place: HTMLElement, fault: AskFault | undefined, sinceMs: number, nowMs: number): void {
  if (!fault) {
    fill(place);
    return;
  }
  const fromMs = fault.since === undefined ? sinceMs : Date.parse(fault.since);
  const since = `for ${spanText(Math.max(0, nowMs - fromMs))}`;
  const exact = exactText(new Date(fromMs).toISOString());
  const sentence = fault.sentence.replace(/ since \S+?Z/, '');
  fill(
    place,
    element(
      'div',
      { class: 'problem' },
      element('p', {}, element('b', {}, sentence), ' (', element('time', { title: exact }, since), ')'),
      element('p', {}, ...withCode(fault.cure)),
      element('p', { class: 'faint' }, 'It is asked again by itself; charts below, if any, are from before.'),
    ),
  );
}

/** First use: no executor is known yet. */
export function emptyView(): HTMLElement {
  return element(
    'div',
    { class: 'empty' },
    element('h2', {}, 'No instance has been seen in this time'),
    element(
      'p',
      {},
      ...withCode('`vp onboard --tier compose …` starts one; it appears here by itself after a few seconds.'),
    ),
    element('p', { class: 'faint' }, ...withCode('An instance that should be here? `vp doctor` says what is wrong.')),
  );
}
