/** Chromium without background network access, with a new profile. */
import { existsSync } from 'node:fs';
import { type Browser, chromium, type Page } from 'playwright-core';

/**
 * The headless shell is the same engine without the browser around it, which paints nothing here but takes as much processor time again:
 * sign-in.test.ts takes 25 s with the shell and 40 to 50 s with the whole, each with everything that it starts.
 */
const shellPath = '/usr/bin/chromium-headless-shell';
const browserPaths = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'];

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

/** How many times slower scripts and rendering of each page are, to find what a test reads too early. */
export const cpuThrottle = Number(process.env.VP_TEST_CPU_THROTTLE ?? '1');
/** How long a page may take until something is there. Generous, as it is only used up by a test that fails. */
export const pageTimeoutMs = 60_000 * cpuThrottle;

async function slowDown(page: Page): Promise<void> {
  try {
    const session = await page.context().newCDPSession(page);
    await session.send('Emulation.setCPUThrottlingRate', { rate: cpuThrottle });
  } catch (error) {
    if (!page.isClosed()) throw error;
  }
}

/**
 * Starts Chromium; the caller closes it. Playwright creates an empty profile and deletes it afterwards. `isWhole`: not the headless shell,
 * for measurements that are compared with earlier ones.
 */
export async function openChromium({ isWhole = false } = {}): Promise<Browser> {
  if (!(cpuThrottle >= 1)) throw new Error('VP_TEST_CPU_THROTTLE must be a number of at least 1');
  const executablePath = [...(isWhole ? [] : [shellPath]), ...browserPaths].find((executable) =>
    existsSync(executable),
  );
  if (executablePath === undefined)
    throw new Error('Chromium is not installed. Install it with apt-get install -y chromium-headless-shell');
  const browser = await chromium.launch({ executablePath, args });
  browser.on('context', (context) => {
    context.setDefaultTimeout(pageTimeoutMs);
    if (cpuThrottle > 1) context.on('page', slowDown);
  });
  return browser;
}
