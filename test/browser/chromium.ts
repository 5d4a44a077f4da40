/** Chromium without background network access, with a new profile. */
import { existsSync } from 'node:fs';
import { type Browser, chromium } from 'playwright-core';

const executablePaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

const args = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Starts Chromium; the caller closes it. Playwright creates an empty profile and deletes it afterwards. */
export async function openChromium(): Promise<Browser> {
  const executablePath = executablePaths.find((executable) => existsSync(executable));
  if (executablePath === undefined)
    throw new Error('Chromium is not installed. Install it with apt-get install -y chromium');
  return chromium.launch({ executablePath, args });
}
