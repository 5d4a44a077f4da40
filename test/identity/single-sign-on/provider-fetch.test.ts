import t from 'tap';
import { createProviderFetch } from '../../../src/identity/single-sign-on/provider-fetch.ts';
import { startHttpTarget } from '../../targets/http-target.ts';

const settings = { extraRoots: [], variables: {} };

t.test('a response of a provider may have 1 MB, and not a byte more', async (t) => {
  const target = await startHttpTarget(
    (request, response) => void response.end('a'.repeat(Number(request.url?.slice(1)))),
  );
  const fetch = createProviderFetch(settings, () => AbortSignal.timeout(60_000));
  const read = async (bytes: number) =>
    (await fetch(`${target.origin}/${bytes}`, { method: 'GET', headers: {} })).text();
  t.equal((await read(1_000_000)).length, 1_000_000);
  await t.rejects(read(1_000_001), { code: 'ERR_RESPONSE_TOO_LARGE' });
  await target.close();
});

t.test('a provider whose response never ends costs no more than the limit', async (t) => {
  let writtenBytes = 0;
  const target = await startHttpTarget((_request, response) => {
    const write = (): void => {
      while (!response.destroyed && response.write('a'.repeat(65_536))) writtenBytes += 65_536;
      response.once('drain', write);
    };
    write();
  });
  const fetch = createProviderFetch(settings, () => AbortSignal.timeout(60_000));
  await t.rejects(fetch(`${target.origin}/.well-known/openid-configuration`, { method: 'GET', headers: {} }), {
    code: 'ERR_RESPONSE_TOO_LARGE',
  });
  t.ok(writtenBytes < 32_000_000, `${writtenBytes} bytes were taken`);
  await target.close();
});
