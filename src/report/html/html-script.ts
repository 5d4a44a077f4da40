/**
 * What the page adds where scripts run: search, folding all, keys. Filters and folding work without it, for example in Jenkins and
 * in the console, whose policies forbid scripts. The page's own policy allows exactly this text, by its hash.
 */
export const htmlScript = `
(() => {
  const all = (selector) => [...document.querySelectorAll(selector)];
  const runs = all('.run');
  const groups = all('details.group');
  const tools = document.getElementById('tools');
  const search = document.getElementById('search');
  const count = document.getElementById('count');
  if (!tools || !search || !count) return;
  tools.hidden = false;
  const texts = new Map(runs.map((run) => [run, run.textContent.toLowerCase()]));
  const filter = () => document.querySelector('input[name=filter]:checked').value;
  const update = () => {
    const words = search.value.toLowerCase().split(/\\s+/).filter(Boolean);
    let matches = 0;
    for (const run of runs) {
      const isMatch = words.every((word) => texts.get(run).includes(word));
      run.classList.toggle('unmatched', !isMatch);
      if (isMatch && (filter() === 'all' || run.classList.contains('is-' + filter()))) matches += 1;
    }
    for (const group of groups) if (words.length > 0 || filter() === 'passed') group.open = true;
    count.textContent = words.length > 0 || filter() !== 'all' ? matches + ' of ' + runs.length : '';
  };
  search.addEventListener('input', update);
  for (const radio of all('input[name=filter]')) radio.addEventListener('change', update);
  const fold = (open) => { for (const run of runs) if (run.tagName === 'DETAILS') run.open = open; };
  document.getElementById('expand').addEventListener('click', () => fold(true));
  document.getElementById('fold').addEventListener('click', () => fold(false));
  const show = () => {
    const run = document.getElementById(decodeURIComponent(location.hash.slice(1)));
    if (!run || run.tagName !== 'DETAILS') return;
    const group = run.closest('details.group');
    if (group) group.open = true;
    run.open = true;
    run.scrollIntoView();
  };
  addEventListener('hashchange', show);
  show();
  addEventListener('keydown', (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === '/' && document.activeElement !== search) {
      event.preventDefault();
      search.focus();
    }
    if (event.key === 'Escape' && document.activeElement === search) {
      search.value = '';
      update();
    }
  });
})();
`;

/** SHA-256 of the script, for the policy; a test compares it. */
export const htmlScriptHash = 'sha256-Skc7MTMa6/t2kX99Pm/XeN2IH3UuUk4ox0hKBRMw9v8=';
