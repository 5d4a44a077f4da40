/** The bar above everything: the range, how fresh the page is, the theme. */
import { type DashboardRange, dashboardRanges } from '../../contract/dashboard-api.ts';
import { store, stored } from '../browser.ts';
import { element } from './element.ts';
import { rangeNames, shortRangeNames } from './figures.ts';

/** What the bar tells. */
export type TopBarEvents = { range(range: DashboardRange): void; redraw(): void };

const themes = ['system', 'light', 'dark'] as const;
const signs = { system: '◐', light: '☀', dark: '☾' } as const;

/** The range of the address bar; 6 hours unless it names one. */
export function rangeOfAddress(): DashboardRange {
  const named = new URLSearchParams(location.search).get('range');
  return dashboardRanges.find((range) => range === named) ?? '6h';
}

/** The bar; `chosen` shows a range as the one in use. */
export class TopBar {
  readonly place: HTMLElement;
  readonly fresh = element('span', { class: 'faint fresh' });
  readonly #buttons: ReadonlyMap<DashboardRange, HTMLButtonElement>;

  constructor(events: TopBarEvents) {
    this.#buttons = new Map(dashboardRanges.map((range, index) => [range, rangeButton(range, index, events)]));
    const group = element('div', { class: 'ranges', role: 'group', 'aria-label': 'Range' }, ...this.#buttons.values());
    const name = element('h1', { class: 'brand' }, 'vp', element('span', { class: 'faint' }, ' dashboard'));
    const grow = element('span', { class: 'grow' });
    this.place = element('header', { class: 'top-bar' }, name, group, grow, this.fresh, themeButton(events));
  }

  chosen(range: DashboardRange): void {
    for (const [own, button] of this.#buttons) button.setAttribute('aria-pressed', String(own === range));
  }
}

function rangeButton(range: DashboardRange, index: number, events: TopBarEvents): HTMLButtonElement {
  const title = `${rangeNames[range]} (key ${index + 1})`;
  const button = element('button', { type: 'button', class: 'chip', title }, shortRangeNames[range]);
  button.addEventListener('click', () => events.range(range));
  return button;
}

function themeButton(events: TopBarEvents): HTMLButtonElement {
  const button = element('button', { type: 'button', class: 'quiet icon' });
  const show = (): (typeof themes)[number] => {
    const theme = themes.find((one) => one === stored('vp.theme')) ?? 'system';
    button.title = `Theme: ${theme}`;
    button.setAttribute('aria-label', `Theme: ${theme}. Change it`);
    button.textContent = signs[theme];
    return theme;
  };
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(show()) + 1) % themes.length] ?? 'system';
    store('vp.theme', next === 'system' ? undefined : next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    show();
    events.redraw();
  });
  show();
  return button;
}
