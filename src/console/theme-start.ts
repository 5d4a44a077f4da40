/** Applies the stored theme before the first paint, so that another theme never flashes. A plain script without imports. */
try {
  const storedTheme = localStorage.getItem('vp.theme');
  if (storedTheme === 'light' || storedTheme === 'dark') document.documentElement.dataset.theme = storedTheme;
} catch {}
