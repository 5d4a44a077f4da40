import t from 'tap';
import { credentialInvalid } from '../../src/errors/credential-invalid.ts';

t.test('the cure for a refused credential is for whoever has that kind of it', async (t) => {
  for (const [prefix, cure] of [
    ['vpe_', /executor key .*vp instances rotate-key/],
    ['vpr_', /agent token .*vp agent-token make/],
    ['vpk_', /API key .*VP_TOKEN/],
    ['vpo_', /owner key .*vp login/],
    ['vps_', /scrape\.key/],
    ['eyJh', /vp login/],
  ] as const) {
    const secret = `${prefix}${'s3cret'.repeat(8)}`;
    const error = credentialInvalid(secret);
    t.match(error, { code: 'CREDENTIAL_INVALID', message: /not known here, or has ended/, cure });
    t.notMatch(`${error.message}${error.cure}${JSON.stringify(error.values)}`, 's3cret');
  }
  t.match(credentialInvalid(undefined).cure, /vp login/);
});
