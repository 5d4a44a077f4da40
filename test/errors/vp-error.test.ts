import t from 'tap';
import { toVpError, VpError, vpError } from '../../src/errors/vp-error.ts';

t.test('an error of another copy of this file is one of the product', async (t) => {
  // The packed program may have two copies; a query makes one here.
  const copy: typeof import('../../src/errors/vp-error.ts') = await import(
    new URL('../../src/errors/vp-error.ts?copy', import.meta.url).href
  );
  t.not(copy.VpError, VpError);
  const error = copy.vpError('INTERNAL', {});
  t.ok(error instanceof VpError);
  t.equal(toVpError(error), error);
  t.ok(vpError('INTERNAL', {}) instanceof copy.VpError);
});

t.test('another error, or what only looks like one, is not', async (t) => {
  for (const value of [new Error('x'), { code: 'INTERNAL', message: 'x', cure: 'y' }, null, undefined, 'INTERNAL']) {
    t.notOk((value as unknown) instanceof VpError);
    t.match(toVpError(value), { code: 'INTERNAL' });
  }
});
