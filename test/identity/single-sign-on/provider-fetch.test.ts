import t from 'tap';
import { createProviderFetch } from '../../../src/identity/single-sign-on/provider-fetch.ts';
import { startHttpTarget } from '../../targets/http-target.ts';

t.test('a provider whose response never ends costs no more than the limit', async (t) => {
  let writtenBytes = 0;
  const target = await startHttpTarget((_request, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write('a'.repeat(65_536))) writtenBytes += 65_536;
      response.once('drain', write);
    };
    write();
  });
  const settings = { extraRoots: [], variables: {} };
  const fetch = createProviderFetch(settings, () => AbortSignal.timeout(60_000));
  await t.rejects(fetch(`${target.origin}/.well-known/openid-configuration`, { method: 'GET', headers: {} }), {
    code: 'ERR_RESPONSE_TOO_LARGE',
  });
  t.ok(writtenBytes < 32_000_000, `${writtenBytes} bytes were taken`);
  await target.close();
});
