/**
 * With --json, the first document names the control plane and the instance that the command took from `vp use`, `vp login` or the
 * folder: neither the line nor the variables show them, and a program that reads only the output must be able to notice a wrong one.
 */
import type { TextSink } from '../environment/environment.ts';
import type { ValueOrigin } from './inherited-values.ts';

const rememberedSources: ReadonlySet<string> = new Set(['folder', 'preference']);

/** `{"control_plane":{"url":…,"source":"preference"},"instance":{"id":…,"source":"folder"}}`, as `vp use --json` writes them. */
function formatRemembered(origins: readonly ValueOrigin[]): string {
  const entries = origins.map(({ name, value, source }) =>
    name === 'instance' ? ['instance', { id: value, source }] : ['control_plane', { url: value, source }],
  );
  return JSON.stringify(Object.fromEntries(entries));
}

/** `stdout` with a member `used` at the head of the first JSON object that is written to it. */
export function nameRememberedValues(stdout: TextSink, origins: readonly ValueOrigin[]): TextSink {
  const remembered = origins.filter(({ source }) => rememberedSources.has(source));
  if (remembered.length === 0) return stdout;
  let isNamed = false;
  const write = (text: string): unknown => {
    const head = isNamed ? undefined : /^\{(?=(\s*)")/.exec(text);
    if (!head) return stdout.write(text);
    isNamed = true;
    return stdout.write(`{${head[1]}"used": ${formatRemembered(remembered)},${text.slice(1)}`);
  };
  return { isTTY: stdout.isTTY, columns: stdout.columns, write };
}
