/** What is forgotten here is ended at the server that gave it: as well as that goes, and never instead of forgetting it. */
import t from 'tap';
import type { HubConnection } from '../../src/contract/hub-api.ts';
import { json, putMember } from './hub-people.ts';
import { type Both, both, echo, oauth, path, shown, signIn } from './signing-in.ts';

const taking = { revocation: true };

/** The lines of the log of security about this, once there are `count`. */
async function told({ api }: Both, count = 1) {
  const lines = () => api.security.filter(({ event }) => /^hub_sign_in_revo/.test(event));
  for (let tries = 0; tries < 100 && lines().length < count; tries += 1)
    await new Promise((resolve) => setTimeout(resolve, 20));
  return lines();
}

/** Whether the server lets somebody in with each of the tokens that it was called with. */
async function statuses({ upstream }: Both): Promise<number[]> {
  const answers = [...upstream.tokens].map((token) =>
    fetch(upstream.mcp.url, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' }),
  );
  return (await Promise.all(answers)).map(({ status }) => status);
}

for (const openIdOnly of [false, true]) {
  t.test(
    `a forgotten sign-in is ended at its server, described ${openIdOnly ? 'as OpenID' : 'as OAuth'}`,
    async (t) => {
      const home = await both(t, oauth, { ...taking, openIdOnly });
      const { ana, upstream } = home;
      await signIn(home, ana);
      t.equal(await echo(ana), 'ok');
      const { connection_id: connection } = await shown(ana);
      t.not((await statuses(home))[0], 401);
      t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
      t.match(await told(home), [
        {
          event: 'hub_sign_in_revoked',
          level: 'info',
          connection,
          name: 'tools',
          refresh: 'revoked',
          access: 'revoked',
        },
      ]);
      t.same(upstream.revocations, ['refresh_token 200', 'access_token 200'], 'the one that all comes of first');
      t.same(await statuses(home), [401]);
      const logs = JSON.stringify([home.api.security, home.lines, home.api.lines]);
      for (const token of upstream.tokens) t.notOk(logs.includes(token));
      await ana.ask('DELETE', `${path}/tools/sign-in`);
      await new Promise((resolve) => setTimeout(resolve, 200));
      t.equal((await told(home)).length, 1, 'what is not there any more ends nowhere');
    },
  );
}

t.test('everybody’s own sign-in ends with the connection, with their membership, and with the hub', async (t) => {
  const home = await both(t, { ...oauth, sharing: 'per_user' }, taking);
  const { ana, max, vic, upstream } = home;
  for (const one of [ana, max]) {
    await signIn(home, one);
    t.equal(await echo(one), 'ok');
  }
  await max.ask('POST', '/api/v1/hubs/acme/leave');
  t.equal((await told(home)).length, 1, 'whoever leaves takes their sign-in along');
  t.same((await statuses(home)).filter((status) => status === 401).length, 1);
  await signIn(home, vic);
  t.equal((await ana.ask('DELETE', `${path}/tools`)).status, 204);
  t.equal((await told(home, 3)).length, 3);
  t.same(await statuses(home), [401, 401]);
  const url = upstream.mcp.url;
  await json<HubConnection>(ana.ask('POST', path, { name: 'tools', kind: 'http', url, credential: oauth }));
  await signIn(home, ana);
  await ana.ask('PUT', `${path}/tools`, { credential: oauth });
  t.equal((await told(home, 4)).length, 4, 'another credential ends the one before');
  await signIn(home, ana);
  t.equal((await ana.ask('DELETE', '/api/v1/hubs/acme')).status, 204);
  t.match((await told(home, 5)).at(-1), { event: 'hub_sign_in_revoked', refresh: 'revoked' });
});

t.test('everybody’s own sign-in ends with their account, and nobody else’s', async (t) => {
  const own = { ...oauth, sharing: 'per_user' };
  const home = await both(t, own, taking);
  const { ana, max, upstream, ids } = home;
  for (const one of [max, ana]) {
    await signIn(home, one);
    t.equal(await echo(one), 'ok');
  }
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', name: 'tools', refresh: 'revoked', access: 'revoked' }]);
  t.same(
    (await statuses(home)).map((status) => status === 401),
    [true, false],
  );
  t.equal(await echo(ana), 'ok');
  t.equal(upstream.revocations.length, 2);
});

t.test('a sign-in of the whole hub outlasts the account of whoever made it', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, max, ids } = home;
  await putMember(ana, 'acme', ids.Max ?? '', 'owner');
  await signIn(home, max);
  t.equal(await echo(ana), 'ok');
  t.equal((await ana.ask('DELETE', `/api/v1/people/${ids.Max}`)).status, 204);
  await new Promise((resolve) => setTimeout(resolve, 200));
  t.same(await told(home, 0), []);
  t.equal(await echo(ana), 'ok');
});

t.test('what a sign-in got is ended too where it comes too late to be kept', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  upstream.meanwhile = () => ana.ask('DELETE', `${path}/tools`);
  t.match(await signIn(home, ana), /problem=CONNECTION_UNKNOWN/);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked', refresh: 'revoked', access: 'revoked' }]);
});

t.test('a client of the owner’s own shows its secret there', async (t) => {
  const own = { client_id: 'given', client_secret: 'a secret that was given by hand' };
  const redirect_uris = ['http://localhost:7700/hubs/sign-in'];
  const clients = [{ ...own, redirect_uris, application_type: 'native' as const }];
  const home = await both(t, { ...oauth, ...own }, { ...taking, clients });
  await signIn(home, home.ana);
  await home.ana.ask('DELETE', `${path}/tools/sign-in`);
  t.match(await told(home), [{ event: 'hub_sign_in_revoked' }]);
  t.same(home.upstream.revocations, ['refresh_token 200', 'access_token 200']);
});

t.test('a server that fails or keeps silent delays nothing, and what was forgotten stays so', async (t) => {
  const home = await both(t, oauth, taking);
  const { ana, upstream } = home;
  for (const [takesBack, count, outcome] of [
    ['broken', 1, 'status 503'],
    ['never', 1, undefined],
  ] as const) {
    upstream.takesBack = takesBack;
    await signIn(home, ana);
    const began = performance.now();
    t.equal((await ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
    t.ok(performance.now() - began < 1500);
    t.match((await shown(ana)).sign_in, { signed_in: false });
    t.equal(await echo(ana), 'UPSTREAM_SIGN_IN_NEEDED');
    const lines = await told(home, count);
    t.equal(lines.length, 1, 'of the silent one nothing is known yet');
    if (outcome)
      t.match(lines, [{ event: 'hub_sign_in_revocation_failed', level: 'warn', refresh: outcome, access: outcome }]);
  }
  const began = performance.now();
  await home.gateway.drain();
  t.ok(performance.now() - began < 4000, 'stopping does not wait for it either');
  t.match((await told(home, 2)).at(-1), {
    event: 'hub_sign_in_revocation_failed',
    refresh: 'no answer',
    access: 'not tried',
  });
});

t.test('a server that takes no tokens back is not asked to', async (t) => {
  const home = await both(t);
  await signIn(home, home.ana);
  t.equal((await home.ana.ask('DELETE', `${path}/tools/sign-in`)).status, 204);
  t.equal((await home.ana.ask('DELETE', `${path}/tools`)).status, 204);
  t.same(await told(home, 0), []);
  t.same(home.upstream.revocations, []);
});
