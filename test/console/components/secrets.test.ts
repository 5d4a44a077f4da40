import { createElement } from 'react';
import t from 'tap';
import { renderConsole } from '../render-console.ts';
import { replaceGlobals } from '../replace-globals.ts';

t.test('Escape does not close a secret that is displayed once, until it was copied', async (t) => {
  let closings = 0;
  const { container, button, click, press } = await renderConsole(t, '/', {}, async () => {
    const { SecretDialog } = await import('../../../src/console/settings/secret-dialog.tsx');
    const onClose = () => {
      closings += 1;
    };
    return createElement(SecretDialog, { title: 'Key ci', secret: 'vpk_1', hint: '', onClose });
  });
  const dialog = container.querySelector('dialog');
  const cancel = () => dialog?.dispatchEvent(new Event('cancel', { cancelable: true }));
  t.equal(cancel(), false, 'the browser is told to leave it open');
  t.equal(container.querySelector('[aria-label=Close]'), null);
  button('Copy').focus();
  await press('Escape');
  t.equal(closings, 0);
  const checkbox = container.querySelector<HTMLInputElement>('input[type=checkbox]');
  if (checkbox) await click(checkbox);
  await click(button('Done'));
  t.equal(closings, 1);
});

t.test('copying over plain http uses the selection, and says so when it fails too', async (t) => {
  const { container, button, click } = await renderConsole(t, '/', {}, async () => {
    const { CopyButton } = await import('../../../src/console/components/copy-button.tsx');
    return createElement('p', null, createElement(CopyButton, { text: 'vpk_1' }));
  });
  replaceGlobals(t, { navigator: {} });
  let copied = '';
  const copyField = (succeeds: boolean) => () => {
    copied = container.querySelector('textarea')?.value ?? '';
    return succeeds;
  };
  Object.assign(document, { execCommand: copyField(false) });
  await click(button('Copy'));
  t.equal(button('Copying failed. Select the text instead').disabled, false);
  Object.assign(document, { execCommand: copyField(true) });
  await click(button('Copying failed. Select the text instead'));
  button('Copied');
  t.equal(copied, 'vpk_1');
  t.equal(container.querySelector('textarea'), null);
});

t.test('code in an error is displayed as code, without backticks', async (t) => {
  const { vpError } = await import('../../../src/errors/vp-error.ts');
  const { container } = await renderConsole(t, '/', {}, async () => {
    const { ErrorNotice } = await import('../../../src/console/components/error-notice.tsx');
    return createElement(ErrorNotice, { error: vpError('AUDIT_DAMAGED', { seq: 4 }) });
  });
  t.notMatch(container.textContent, '`');
  t.match(
    [...container.querySelectorAll('code')].map(({ textContent }) => textContent),
    ['vp audit verify'],
  );
});
