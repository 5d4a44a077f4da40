/** The bar at the top: time range, age of the data, theme. */
import { type DashboardRange, dashboardRanges } from '../../contract/dashboard-api.ts';
import { readStorage, writeStorage } from '../browser.ts';
import { createElement } from './create-element.ts';
import { rangeNames, shortRangeNames } from './format.ts';

export type TopBarHandlers = { onRange(range: DashboardRange): void; onRedraw(): void };

const themes = ['system', 'light', 'dark'] as const;
const icons = { system: '◐', light: '☀', dark: '☾' } as const;

/** Reads the range from the address; by default 6 hours. */
export function readRangeFromUrl(): DashboardRange {
  const requestedRange = new URLSearchParams(location.search).get('range');
  return dashboardRanges.find((range) => range === requestedRange) ?? '1h';
}

export class DashboardTopBar {
  readonly root: HTMLElement;
  readonly freshness = createElement('span', { class: 'faint fresh' });
  readonly #buttons: ReadonlyMap<DashboardRange, HTMLButtonElement>;

  constructor(handlers: TopBarHandlers) {
    this.#buttons = new Map(dashboardRanges.map((range, index) => [range, createRangeButton(range, index, handlers)]));
    const group = createElement(
      'div',
      { class: 'ranges', role: 'group', 'aria-label': 'Range' },
      ...this.#buttons.values(),
    );
    const name = createElement('h1', { class: 'brand' }, 'vp', createElement('span', { class: 'faint' }, ' dashboard'));
    const grow = createElement('span', { class: 'grow' });
    this.root = createElement(
      'header',
      { class: 'top-bar' },
      name,
      group,
      grow,
      this.freshness,
      createThemeButton(handlers),
    );
  }

  setRange(range: DashboardRange): void {
    for (const [buttonRange, button] of this.#buttons)
      button.setAttribute('aria-pressed', String(buttonRange === range));
  }
}

function createRangeButton(range: DashboardRange, index: number, handlers: TopBarHandlers): HTMLButtonElement {
  const title = `${rangeNames[range]} (key ${index + 1})`;
  const button = createElement('button', { type: 'button', class: 'chip', title }, shortRangeNames[range]);
  button.addEventListener('click', () => handlers.onRange(range));
  return button;
}

function createThemeButton(handlers: TopBarHandlers): HTMLButtonElement {
  const button = createElement('button', { type: 'button', class: 'quiet icon' });
  const showTheme = (): (typeof themes)[number] => {
    const theme = themes.find((entry) => entry === readStorage('vp.theme')) ?? 'system';
    button.title = `Theme: ${theme}`;
    button.setAttribute('aria-label', `Theme: ${theme}. Change theme`);
    button.textContent = icons[theme];
    return theme;
  };
  button.addEventListener('click', () => {
    const next = themes[(themes.indexOf(showTheme()) + 1) % themes.length] ?? 'system';
    writeStorage('vp.theme', next === 'system' ? undefined : next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
    showTheme();
    handlers.onRedraw();
  });
  showTheme();
  return button;
}
