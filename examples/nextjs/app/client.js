'use client';
import { useEffect, useState } from 'react';
import { multiply } from './multiply.js';

// Computed in the browser.
export function Client() {
  const [product, setProduct] = useState('');
  useEffect(() => void multiply().then(setProduct), []);
  return <output>{product}</output>;
}
