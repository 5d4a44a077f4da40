import t from 'tap';
import { systemRandom } from '../../../src/environment/random.ts';
import { createPasswordHasher } from '../../../src/identity/passwords/password-hasher.ts';
import { assertStrongPassword } from '../../../src/identity/passwords/password-strength.ts';
import { defaultIdentitySettings } from '../../../src/identity/settings.ts';

const settings = { password: { memoryKiB: 64, passes: 1 }, hashing: { maxRunning: 2, maxQueued: 10 } };

t.test('a password is stored as argon2id with its own salt, and verified', async (t) => {
  const hasher = createPasswordHasher(settings, systemRandom);
  const stored = await hasher.hash('correct horse battery');
  t.match(stored, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(await hasher.hash('correct horse battery'), stored);
  t.equal(await hasher.verify('correct horse battery', stored), true);
  t.equal(await hasher.verify('correct horse batterz', stored), false);
  t.equal(await hasher.verify('', stored), false);
});

t.test('the same text in other code points is the same password', async (t) => {
  const hasher = createPasswordHasher(settings, systemRandom);
  const stored = await hasher.hash('Caf\u00e9-am-See-1899');
  t.equal(await hasher.verify('Cafe\u0301-am-See-1899', stored), true);
});

t.test('a hash of another cost is verified, an invalid hash never', async (t) => {
  const costlyHasher = createPasswordHasher({ ...settings, password: { memoryKiB: 128, passes: 2 } }, systemRandom);
  const stored = await costlyHasher.hash('correct horse battery');
  const hasher = createPasswordHasher(settings, systemRandom);
  t.equal(await hasher.verify('correct horse battery', stored), true);
  for (const text of ['', 'x', '$argon2i$v=19$m=64,t=1,p=1$AAAA$AAAA', undefined])
    t.equal(await hasher.verify('correct horse battery', text), false);
});

t.test('the default cost is the recommended one', async (t) => {
  t.same(defaultIdentitySettings.password, { memoryKiB: 47_104, passes: 1 });
});

t.test('short, common and personal passwords are rejected', async (t) => {
  const personalTexts = ['Ana Maria Lopez', 'ana.lopez@example.com'];
  const weak = [
    'short1!',
    'elevenchars',
    'password1234',
    'Password12345!',
    'qwertyuiop123',
    '123456789012',
    'letmeinletmein',
    'aaaaaaaaaaaaaaaa',
    'adminadmin123',
    'iloveyou2026!',
    'analopez1234',
    'ana.lopez@example.com',
    'AnaMariaLopez1',
  ];
  for (const password of weak)
    await t.rejects(assertStrongPassword(password, personalTexts), { code: 'PASSWORD_WEAK' }, password);
  const strong = [
    'lantern-walrus-72-granite',
    'q7!xZp0_Lm2v',
    'a long enough passphrase',
    'ポケットの中の古い時計と鍵束',
  ];
  for (const password of strong) await t.resolves(assertStrongPassword(password, personalTexts), password);
  await t.resolves(
    assertStrongPassword(`lantern-walrus-72-granite${'x'.repeat(1000)}`, personalTexts),
    'only the start of a very long password is estimated',
  );
});
