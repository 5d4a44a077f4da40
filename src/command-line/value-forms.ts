/**
 * The form of ids on a command line, checked before a command runs: an id becomes part of paths, container names and files.
 * `test/command-line/value-forms.test.ts` compares the forms with those of the folders that own the ids.
 */
import { type VpError, vpError } from '../errors/vp-error.ts';
import type { ValueKind } from './command.ts';

type Form = { readonly pattern: RegExp; readonly error: (text: string) => VpError };

const maxEchoed = 60;

const invalidId = (what: string, list: string) => (text: string) => vpError('ID_INVALID', { text, what, list });
/** Ids that people choose. */
const chosenName = /^(?=.{1,60}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/;
/** Ids that the control plane chooses. */
const opaqueId = /^[\w-]{1,100}$/;

const forms: Readonly<Partial<Record<ValueKind, Form>>> = {
  instance: {
    pattern: /^(?=.{1,22}$)[a-z0-9]([a-z0-9-]*[a-z0-9])?$/,
    error: (instance) => vpError('INSTANCE_ID_INVALID', { instance }),
  },
  scenario: {
    pattern: /^[A-Za-z0-9][A-Za-z0-9._-]{0,99}$/,
    error: (id) => vpError('SCENARIO_ID_INVALID', { id }),
  },
  // A correlation id names its run, and so does a part that only one run has.
  run: { pattern: /^[A-Za-z0-9_-]{4,100}$/, error: (run) => vpError('RUN_ID_INVALID', { run }) },
  hub: {
    pattern: /^(?=.{2,40}$)[a-z0-9]+(-[a-z0-9]+)*$/,
    error: (slug) => vpError('HUB_SLUG_INVALID', { slug, problem: 'does not have the form of one' }),
  },
  suite: { pattern: /^s\d{8}T\d{9}$/, error: invalidId('a suite', 'vp suites') },
  failure: { pattern: /^[0-9a-f]{16}$/, error: invalidId('a failure', 'vp failures') },
  schedule: { pattern: chosenName, error: invalidId('a schedule', 'vp schedules list') },
  channel: { pattern: chosenName, error: invalidId('a channel', 'vp notifications list') },
  approval: { pattern: opaqueId, error: invalidId('an approval', 'vp approvals list <hub>') },
  token: { pattern: opaqueId, error: invalidId('a token', 'vp tokens list') },
  'agent-token': { pattern: opaqueId, error: invalidId('the token of an agent', 'vp agent-token list <instance>') },
};

/** For a new id, which no list has: the fix of {@link assertValueForm} names one. */
export function hasValueForm(kind: ValueKind, text: string): boolean {
  return forms[kind]?.pattern.test(text) ?? true;
}

/** Throws INSTANCE_ID_INVALID, SCENARIO_ID_INVALID, RUN_ID_INVALID, HUB_SLUG_INVALID, ID_INVALID. */
export function assertValueForm(kind: ValueKind, text: string): void {
  const form = forms[kind];
  if (form && !form.pattern.test(text))
    throw form.error(text.length > maxEchoed ? `${text.slice(0, maxEchoed)}…` : text);
}
