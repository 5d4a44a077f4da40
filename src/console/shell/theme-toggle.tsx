import { useState } from 'react';
import { readStorage, writeStorage } from '../browser.ts';

const themes = ['system', 'light', 'dark'] as const;
type Theme = (typeof themes)[number];

const icons: Readonly<Record<Theme, string>> = { system: '◐', light: '☀', dark: '☾' };

function readTheme(): Theme {
  const name = readStorage('vp.theme');
  return themes.find((theme) => theme === name) ?? 'system';
}

function applyTheme(theme: Theme): void {
  const { dataset } = document.documentElement;
  writeStorage('vp.theme', theme === 'system' ? undefined : theme);
  if (theme === 'system') delete dataset.theme;
  else dataset.theme = theme;
}

/** Switches between the system's theme, light and dark. page-start.ts applies the theme before the first paint. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(readTheme);
  const next = themes[(themes.indexOf(theme) + 1) % themes.length] ?? 'system';
  const change = (): void => {
    applyTheme(next);
    setTheme(next);
  };
  return (
    <button type="button" className="quiet icon" onClick={change} title={`Theme: ${theme}`}>
      <span aria-hidden="true">{icons[theme]}</span>
      <span className="visually-hidden">
        Theme: {theme}. Change to {next}
      </span>
    </button>
  );
}
