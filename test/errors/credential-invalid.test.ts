import t from 'tap';
import { createCredentialInvalidError } from '../../src/errors/credential-invalid-error.ts';

t.test('the fix for a refused credential depends on its kind', async (t) => {
  for (const [prefix, cure] of [
    ['vpe_', /executor key .*vp instances rotate-key/],
    ['vpr_', /agent token .*vp agent-token create/],
    ['vpk_', /API key .*VP_TOKEN/],
    ['vpo_', /owner key .*vp login/],
    ['vps_', /scrape\.key/],
    ['eyJh', /vp login/],
  ] as const) {
    const secret = `${prefix}${'s3cret'.repeat(8)}`;
    const error = createCredentialInvalidError(secret);
    t.match(error, { code: 'CREDENTIAL_INVALID', message: /is unknown, or is no longer valid/, cure });
    t.notMatch(`${error.message}${error.cure}${JSON.stringify(error.values)}`, 's3cret');
  }
  t.match(createCredentialInvalidError(undefined).cure, /vp login/);
});
