/** Runs before anything is painted, so that a chosen theme never flashes. Imports nothing: it is a plain script. */
try {
  const chosen = localStorage.getItem('vp.theme');
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen;
} catch {}
