import type { FlagDefinitions, FlagValues } from '../../command-line/command.ts';
import { vpError } from '../../errors/vp-error.ts';

export const originFlags = {
  'allow-origin': {
    type: 'strings',
    placeholder: '<origin>',
    describe: 'let scripts of this origin call MCP and sign in there; else none may',
    variable: 'VP_ALLOW_ORIGINS',
  },
} as const satisfies FlagDefinitions;

/** Throws FLAG_INVALID for a value that no browser sends as an origin. */
export function parseAllowedOrigins(flags: FlagValues<typeof originFlags>): readonly string[] {
  for (const text of flags['allow-origin']) {
    const url = URL.parse(text);
    // A wildcard would match nothing, although it seems to match everything.
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && !url.host.includes('*');
    if (isWeb && url.origin === text) continue;
    const example = isWeb ? `${url.origin}, not ${text}` : `https://inspector.example, not ${text}`;
    const problem = `must be one origin exactly as browsers send it, such as ${example}`;
    throw vpError('FLAG_INVALID', { command: 'vp serve', flag: '--allow-origin', problem });
  }
  return flags['allow-origin'];
}
