/** The flag of `vp serve` about pages of other origins. */
import { vpError } from '../../errors/vp-error.ts';
import type { Flags, FlagValues } from '../command.ts';

/** To be spread into a command's flags. */
export const originFlags = {
  'allow-origin': {
    type: 'strings',
    placeholder: '<origin>',
    describe: 'scripts of pages of this origin may call the addresses of MCP and sign in there; none unless named',
    variable: 'VP_ALLOW_ORIGINS',
  },
} as const satisfies Flags;

/** What it says. Throws FLAG_INVALID for what no browser would send as an origin. */
export function allowedOrigins(flags: FlagValues<typeof originFlags>): readonly string[] {
  for (const text of flags['allow-origin']) {
    const url = URL.parse(text);
    // A star would match nothing, though it seems to say more.
    const isWeb = url !== null && /^https?:$/.test(url.protocol) && !url.host.includes('*');
    if (isWeb && url.origin === text) continue;
    const right = isWeb ? `${url.origin}, not ${text}` : `https://inspector.example, not ${text}`;
    const problem = `names one origin exactly as browsers send it, such as ${right}`;
    throw vpError('FLAG_INVALID', { command: 'vp serve', flag: '--allow-origin', problem });
  }
  return flags['allow-origin'];
}
