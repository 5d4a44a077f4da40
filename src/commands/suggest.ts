/** Makes the commands in a text for people complete, so that they work when pasted after this call. */
import { isLoopbackHost } from '../addresses/host-address.ts';
import type { CommandEntry, FlagDefinitions, Invocation } from '../command-line/command.ts';
import { findCommand } from '../command-line/find-command.ts';
import { completeSuggestions, listFlagsForSuggestions, type SuggestionFlag } from '../command-line/suggestions.ts';
import type { VpError } from '../errors/vp-error.ts';
import { controlPlaneFlags } from './control-plane/control-plane-flags.ts';
import { readCurrentValues } from './control-plane/current-values.ts';

type Call = Pick<Invocation<FlagDefinitions>, 'environment' | 'catalogue'>;

const defaultPort = new URL(controlPlaneFlags['control-plane'].default).port;

/**
 * Adds to the commands between backticks what the next command would not find by itself: `--control-plane`, unless `vp use`, the
 * folder or a variable leads there, and flags of this call such as `--data`. `controlPlane` is that of a command that is one.
 */
export async function completeCommands(text: string, call: Call, controlPlane?: string): Promise<string> {
  if (!text.includes('`vp ')) return text;
  const flags = await listNeededFlags(call, controlPlane);
  return completeSuggestions(text, flags, call.catalogue);
}

/** The fix of an error, with complete commands: `vp serve` is to listen where nothing did. */
export async function completeCure(cure: string, error: VpError, call: Call): Promise<string> {
  if (!cure.includes('`vp ')) return cure;
  const url = error.code === 'CONTROL_PLANE_UNREACHABLE' ? URL.parse(String(error.values.url)) : null;
  const isElsewhere = url !== null && isLoopbackHost(url.hostname) && url.port !== defaultPort;
  const port: SuggestionFlag[] = isElsewhere ? [{ name: 'port', value: url.port || '80', only: 'serve' }] : [];
  return completeSuggestions(cure, [...port, ...(await listNeededFlags(call))], call.catalogue);
}

/** Flags of the line, and what variables say instead of them: they may be set for this call only. */
async function listNeededFlags(
  { environment, catalogue }: Call,
  controlPlane?: string,
): Promise<readonly SuggestionFlag[]> {
  const { args, variables } = environment;
  const command = findName(args, catalogue);
  const { VP_DATA: data, VP_CONTROL_PLANE: variable } = variables;
  const onLine = listFlagsForSuggestions(command, [...(data ? [`--data=${data}`] : []), ...args]);
  const named = controlPlane ?? onLine.find(({ name }) => name === 'control-plane')?.value ?? (variable || undefined);
  // An unusable file with preferences is reported by commands that need it.
  const current = await readCurrentValues({ ...environment, variables: {} }).catch(() => undefined);
  const normalized = String(named).replace(/\/+$/, '');
  const isCurrent = current?.controlPlane.value === normalized;
  const others = onLine.filter(({ name, value }) => {
    if (name === 'control-plane') return false;
    const isInherited = (named === undefined || isCurrent) && current?.instance?.value === value;
    return name !== 'instance' || !isInherited;
  });
  return named === undefined || isCurrent ? others : [{ name: 'control-plane', value: normalized }, ...others];
}

function findName(args: readonly string[], catalogue: readonly CommandEntry[]): string {
  try {
    const match = findCommand(catalogue, args);
    return match.kind === 'command' ? match.entry.name : match.name;
  } catch {
    return '';
  }
}
