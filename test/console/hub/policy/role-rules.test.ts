import t from 'tap';
import { parsePolicyText } from '../../../../src/console/hub/policy/parse-policy.ts';
import { isToolDisabled, listAllowedRoles, setToolEnabled } from '../../../../src/console/hub/policy/role-rules.ts';

t.test('disabling and enabling a tool leaves other rules unchanged', async (t) => {
  const policy = { roles: { member: { deny: ['mail__*'] } }, bounds: { timeout_s: 9 } };
  t.same(listAllowedRoles(policy, 'weather__forecast', true), ['owner', 'member', 'viewer']);
  t.same(listAllowedRoles(policy, 'mail__send', true), ['owner', 'viewer']);
  const disabled = setToolEnabled(policy, 'weather__forecast', false);
  t.same(listAllowedRoles(disabled, 'weather__forecast', true), []);
  t.same([isToolDisabled(disabled, 'weather__forecast'), isToolDisabled(disabled, 'weather__now')], [true, false]);
  t.same(listAllowedRoles(disabled, 'weather__now', true), ['owner', 'member', 'viewer']);
  const enabledAgain = setToolEnabled(disabled, 'weather__forecast', true);
  t.same(listAllowedRoles(enabledAgain, 'weather__forecast', true), ['owner', 'member', 'viewer']);
  t.same(enabledAgain, { ...policy, roles: { owner: {}, member: { deny: ['mail__*'] }, viewer: { read_only: true } } });
});

t.test('roles limited to reading cannot call tools that are not declared read-only', async (t) => {
  t.same(listAllowedRoles({}, 'weather__wipe', false), ['owner', 'member']);
  t.same(listAllowedRoles({ roles: { member: { read_only: true }, viewer: {} } }, 'a__b', false), ['owner', 'viewer']);
});

t.test('characters of a pattern other than the star match literally', async (t) => {
  const may = (allow: string[]) => listAllowedRoles({ roles: { owner: { allow } } }, 'a__b.c', true).includes('owner');
  t.same(
    [may(['a__b.c']), may(['a__*']), may(['*']), may(['a__bxc']), may(['a__b.']), may(['(a'])],
    [true, true, true, false, false, false],
  );
});

t.test('text that is not a policy is rejected with a reason', async (t) => {
  t.same(parsePolicyText('{"roles":{}}'), { document: { roles: {} } });
  t.match(parsePolicyText('{"roles":'), { problem: /^Invalid JSON: / });
  t.match(parsePolicyText('[]'), { problem: 'A policy must be a JSON object: {…}' });
  t.match(parsePolicyText('{"rules":{}}'), { problem: 'Unknown member "rules". Allowed members are roles, callers' });
});
