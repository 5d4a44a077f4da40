/** The floor of `vp validate`: reads every file of a folder and looks for a title. `node bare-read.mjs <folder>` */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.argv[2];
const texts = readdirSync(folder).map((name) => readFileSync(join(folder, name), 'utf8'));
console.log(`${texts.filter((text) => /^# Scenario: /m.test(text)).length} of ${texts.length} have a title`);
