import { Module } from '@nestjs/common';
import { Settings, readSettings } from './settings.js';

@Module({
  providers: [{ provide: Settings, useFactory: () => readSettings(process.env) }],
  exports: [Settings],
})
export class SettingsModule {}
