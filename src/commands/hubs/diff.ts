import { command } from '../../command-line/command.ts';
import { exitCode } from '../../errors/exit-code.ts';
import { paintFor } from '../../terminal/paint.ts';
import { openClient } from '../control-plane/control-plane-client.ts';
import { controlPlaneFlags } from '../control-plane/control-plane-flags.ts';
import { unifiedDiff } from '../scenarios/unified-diff.ts';
import { completeCommands } from '../suggest.ts';
import { formatChanges, formatUnlistedItems, toChangeDocument } from './as-code/change-text.ts';
import { buildDesiredFile } from './as-code/desired-file.ts';
import { hubFilePositional, planFlags } from './as-code/file-flags.ts';
import { renderHubFile } from './as-code/hub-file-text.ts';
import { toHubFile } from './as-code/hub-state.ts';
import { prepareApply, readHubFile } from './as-code/prepare-apply.ts';

/** `vp hubs diff`. */
export const hubsDiffCommand = command({
  name: 'hubs diff',
  summary: 'show what `vp hubs apply` would change in a hub',
  positionals: [hubFilePositional],
  flags: { ...planFlags, ...controlPlaneFlags },
  examples: [
    ['vp hubs diff hub.yaml', '`-` is the hub, `+` the file'],
    ['vp hubs diff hub.yaml --prune --json', 'with what would be removed, for programs'],
  ],
  notes:
    'Reads no secrets and changes nothing. Exit code 0: no differences. 1: there are differences. With --json: {"hub", "revision", "changes", "unlisted", "diff"}; the revision is null for a hub that is still to be created.',
  async run({ flags, args: [name = ''], json, environment, catalogue }) {
    const { streams, variables } = environment;
    const parsed = readHubFile(name, environment);
    const client = await openClient(flags, environment);
    const options = { prunes: flags.prune, sendsSecrets: false, acceptsUnknownNames: flags['accept-unknown-names'] };
    const { state, plan } = await prepareApply(client, parsed, name, options);
    const { slug } = parsed.file.hub;
    const paint = paintFor(streams.stdout, variables, json);
    const { revision, ...current } = state ? toHubFile(state) : { revision: undefined };
    const diff = unifiedDiff(
      { name: `hub ${slug}`, text: state ? renderHubFile(current) : '' },
      { name, text: renderHubFile(buildDesiredFile(parsed.file, state, flags.prune)) },
      paint,
    );
    const changes = plan.changes.map(toChangeDocument);
    const document = { hub: slug, revision: revision ?? null, changes, unlisted: plan.unlisted, diff };
    if (json) streams.stdout.write(`${JSON.stringify(document, null, 2)}\n`);
    else if (changes.length === 0)
      streams.stdout.write(`${slug} is as ${name} says\n${formatUnlistedItems(plan.unlisted)}`);
    else {
      const next = state
        ? `next: \`vp hubs apply ${name} --if-revision ${revision}\`\n`
        : `next: \`vp hubs apply ${name} --create\`\n`;
      const text = `${diff}${formatChanges(plan.changes)}${formatUnlistedItems(plan.unlisted)}${next}`;
      streams.stdout.write(await completeCommands(text, { environment, catalogue }));
    }
    return changes.length === 0 ? exitCode.done : exitCode.checkFailed;
  },
});
