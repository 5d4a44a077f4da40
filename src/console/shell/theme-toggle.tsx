import { useState } from 'react';
import { store, stored } from '../browser.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const signs: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

function kept(): Theme {
  const name = stored('vp.theme');
  return themes.find((theme) => theme === name) ?? 'system';
}

function apply(theme: Theme): void {
  const { dataset } = document.documentElement;
  store('vp.theme', theme === 'system' ? undefined : theme);
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

/** Light, dark, or what the system says (see theme-start.ts for the first paint). */
export function ThemeToggle() {
  const [theme, setTheme] = useState(kept);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const change = (): void => {
    apply(next);
    setTheme(next);
  };
  return (
    <button type="button" className="quiet icon" onClick={change} title={`Theme: ${theme}`}>
      <span aria-hidden="true">{signs[theme]}</span>
      <span className="unseen">
        Theme: {theme}. Change to {next}
      </span>
    </button>
  );
}
