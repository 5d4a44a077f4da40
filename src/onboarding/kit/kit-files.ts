/** What a kit consists of, but for the program. */
import { assetText } from '../../environment/asset.ts';
import { referenceStacks } from './reference-stacks.ts';

/** A file of a kit; `name` is written with `/` and below its folder. */
export type KitFile = { readonly name: string; readonly text: string; readonly isExecutable: boolean };

/** Where a kit keeps its program, and what it says of itself. */
export const programFile = 'bin/vp';
export const manifestFile = 'kit.json';

const scripts = ['onboarding/onboard.sh', 'onboarding/teardown.sh'];

/** Scripts, compose files to read, the page for people, and what keeps the kit out of repositories: it holds a key later. */
export function kitFiles(): readonly KitFile[] {
  return [
    ...scripts.map((name) => ({ name, text: assetText(`kit/${name}`), isExecutable: true })),
    ...referenceStacks().map((file) => ({ ...file, isExecutable: false })),
    { name: 'README.md', text: assetText('kit/README.md'), isExecutable: false },
    { name: '.gitignore', text: '*\n', isExecutable: false },
  ];
}
