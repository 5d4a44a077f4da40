import { command } from '../command-line/command.ts';
import { completionScripts } from '../command-line/completion-script.ts';
import { exitCode } from '../errors/exit-code.ts';

const shells = ['bash', 'zsh', 'fish', 'powershell'] as const;

/** `vp completion`. */
export const completionCommand = command({
  name: 'completion',
  summary: 'print a script that completes vp in your shell',
  positionals: [{ name: 'shell', describe: shells.join(', '), required: true, choices: shells }],
  flags: {},
  examples: [
    ['source <(vp completion bash)', 'complete in this shell; in ~/.bashrc for every shell'],
    ['vp completion fish | source', 'in ~/.config/fish/config.fish'],
    ['vp completion powershell | Out-String | Invoke-Expression', 'in $PROFILE'],
  ],
  notes:
    'Commands, flags, their values, files, and the ids, tags and instances of the control plane in use are completed. The scripts for bash, ' +
    'zsh and fish are tested in these shells; that for PowerShell against a grammar of its language, not in PowerShell itself.',
  async run({ args: [name = ''], json, environment }) {
    const shell = shells.find((known) => known === name);
    if (shell === undefined) {
      const { vpError } = await import('../errors/vp-error.ts');
      const problem = `must be one of ${shells.join(', ')}, not \`${name}\``;
      throw vpError('FLAG_INVALID', { command: 'vp completion', flag: '<shell>', problem });
    }
    const script = completionScripts[shell];
    environment.streams.stdout.write(json ? `${JSON.stringify({ script })}\n` : script);
    return exitCode.done;
  },
});
