import axe from 'axe-core';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { ApiCaller } from '../api-caller.ts';
import { WebhookReceiver } from '../webhooks/webhook-receiver.ts';
import { CHROMIUM, IN_A_BROWSER, SKIPPED } from './chromium.ts';
import { DashboardPage } from './page.ts';
import { type DashboardStage, openStage } from './stage.ts';

describe.skipIf(CHROMIUM === undefined)(`the dashboard in a browser${SKIPPED}`, IN_A_BROWSER, () => {
  let stage: DashboardStage;
  let api: ApiCaller;

  beforeAll(async () => {
    stage = await openStage();
    api = stage.api;
  });
  afterAll(() => stage.close());

  test.each([
    { width: 1280, scheme: 'light' },
    { width: 390, scheme: 'dark' },
  ] as const)(
    'is accessible at $width pixels in the $scheme scheme, and no wider than the screen',
    async (options) => {
      await api.control('POST /reset');
      await using receiver = await WebhookReceiver.start();
      const { body: endpoint } = await api.control('POST /endpoints', {
        workspace: 'default',
        url: receiver.url,
      });
      await api.control(`POST /endpoints/${endpoint.id}/rotate`);
      const id = await api.accepted(
        'image-l',
        { prompt: 'a lighthouse' },
        { 'x-darkroom-workflow': 'generation/1' },
      );
      await api.control(`POST /tasks/${id}/finish`);
      await api.settled(id);
      const running = await api.accepted('video-g', { prompt: 'a storm' });
      const failed = await api.accepted('image-l', { prompt: 'x' });
      await api.control(`POST /tasks/${failed}/fail`);
      await api.control('POST /faults', { on: 'get', fault: { kind: 'html' } });
      await api.get(running);
      await api.control('POST /templates', { name: 'dawn', input: { prompt: 'a lighthouse at dawn' } });
      const { body: deliveries } = await api.control('GET /deliveries');
      await using opened = await DashboardPage.open(stage.browser, stage.emulator, options);
      const { page } = opened;
      const found: string[] = [];
      const views = ['tasks', 'deliveries', 'endpoints', 'keys', 'credits', 'usage', 'faults', 'templates'];
      for (const place of [...views, `tasks/${id}`, `tasks/${running}`, `deliveries/${deliveries[0].id}`]) {
        await page.goto(`${stage.emulator.dashboardUrl}#/${place}`);
        if (place.includes('/')) await opened.dialog().getByRole('heading').first().waitFor();
        await opened.loaded();
        await page.evaluate(
          'for (const details of document.querySelectorAll("details")) details.open = true',
        );
        if (place === 'endpoints') await page.getByRole('button', { name: 'Show secret' }).click();
        for (const violation of await violations(opened)) found.push(`${place}: ${violation}`);
        if (await page.evaluate('document.documentElement.scrollWidth > innerWidth'))
          found.push(`${place}: too wide`);
      }
      expect([...found, ...opened.complaints]).toEqual([]);
    },
  );

  async function violations({ page }: DashboardPage): Promise<string[]> {
    await page.evaluate(axe.source);
    const found = await page.evaluate<axe.AxeResults>('axe.run({ resultTypes: ["violations"] })');
    return found.violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' ')}`);
  }
});
