import t from 'tap';
import { systemRandom } from '../../src/environment/random.ts';
import { demandStrong } from '../../src/identity/password-strength.ts';
import { createPasswords } from '../../src/identity/passwords.ts';
import { defaultIdentitySettings } from '../../src/identity/settings.ts';
import { createTurns } from '../../src/identity/turns.ts';

const settings = { password: { memoryKiB: 64, passes: 1 }, hashing: { atOnce: 2, waiting: 10 } };

t.test('a password is stored as argon2id with a salt of its own, and recognised', async (t) => {
  const passwords = createPasswords(settings, systemRandom);
  const stored = await passwords.hash('correct horse battery');
  t.match(stored, /^\$argon2id\$v=19\$m=64,t=1,p=1\$[A-Za-z0-9+/]{22}\$[A-Za-z0-9+/]{43}$/);
  t.not(await passwords.hash('correct horse battery'), stored);
  t.equal(await passwords.verify('correct horse battery', stored), true);
  t.equal(await passwords.verify('correct horse batterz', stored), false);
  t.equal(await passwords.verify('', stored), false);
});

t.test('the same letters typed as other code points are the same password', async (t) => {
  const passwords = createPasswords(settings, systemRandom);
  const stored = await passwords.hash('Caf\u00e9-am-See-1899');
  t.equal(await passwords.verify('Cafe\u0301-am-See-1899', stored), true);
});

t.test('what was stored at another cost is still recognised, what is no hash never', async (t) => {
  const dear = createPasswords({ ...settings, password: { memoryKiB: 128, passes: 2 } }, systemRandom);
  const stored = await dear.hash('correct horse battery');
  const passwords = createPasswords(settings, systemRandom);
  t.equal(await passwords.verify('correct horse battery', stored), true);
  for (const text of ['', 'x', '$argon2i$v=19$m=64,t=1,p=1$AAAA$AAAA', undefined])
    t.equal(await passwords.verify('correct horse battery', text), false);
});

t.test('by default it costs what is recommended', async (t) => {
  t.same(defaultIdentitySettings.password, { memoryKiB: 47_104, passes: 1 });
});

t.test('a bounded number is hashed at once, some wait, the rest is sent away', async (t) => {
  const inTurn = createTurns(2, 1);
  const open: (() => void)[] = [];
  let running = 0;
  const work = (): Promise<void> => {
    running += 1;
    return new Promise((resolve) => open.push(() => resolve()));
  };
  const all = [inTurn(work), inTurn(work), inTurn(work)];
  t.equal(running, 2);
  await t.rejects(inTurn(work), { code: 'RATE_LIMITED' });
  open[0]?.();
  await all[0];
  await new Promise(setImmediate);
  t.equal(running, 3, 'the one that waited has its turn');
  for (const end of open) end();
  await Promise.all(all);
  await inTurn(async () => undefined);
  await t.rejects(
    inTurn(async () => {
      throw new Error('broken');
    }),
    /broken/,
  );
  await inTurn(async () => undefined);
});

t.test('short passwords, common ones, and ones made of what everybody knows are refused', async (t) => {
  const about = ['Ana Maria Lopez', 'ana.lopez@example.com'];
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
  for (const password of weak) await t.rejects(demandStrong(password, about), { code: 'PASSWORD_WEAK' }, password);
  const strong = [
    'lantern-walrus-72-granite',
    'q7!xZp0_Lm2v',
    'a long enough passphrase',
    'ポケットの中の古い時計と鍵束',
  ];
  for (const password of strong) await t.resolves(demandStrong(password, about), password);
  await t.resolves(
    demandStrong(`lantern-walrus-72-granite${'x'.repeat(1000)}`, about),
    'a very long one is looked at in part',
  );
});
